import { bubblewrapFailure, neverExecuted } from './bubblewrap/bubblewrap-failure.ts';
import { createContainedTree } from './bubblewrap/contained-tree.ts';
import type { PassedDescriptors } from './bubblewrap/passed-descriptors.ts';
import { control, type PreparedLaunch } from './bubblewrap/prepared-launch.ts';
import { untilExecuted } from './bubblewrap/sandbox-readiness.ts';
import { type ProcessExit, passedOnExit } from './exit-status.ts';
import type { Launch } from './launch.ts';
import { openCgroupSlot } from './limits/cgroup-slot.ts';
import { markerVariable } from './process-marker.ts';
import type { ProcessTable } from './process-table.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
import { type PipedChild, spawnPiped } from './spawn-piped.ts';
import { type StartFailure, startFailure } from './start-failure.ts';

/** A process that runs. */
export interface StartedProcess {
  readonly kind: 'running';
  readonly child: PipedChild;
  readonly ended: Promise<ProcessExit>;
  /** Of the leader, as seen outside. */
  readonly pid: number;
  readonly tree: ProcessTree;
  /** What stands for it while it runs, to be disposed of when its tree is gone. */
  readonly resources: AsyncDisposableStack;
}

export interface StartRequest {
  readonly launch: Launch;
  readonly marker: string;
  /** What covers inherited descriptors (inherited-descriptors.ts). */
  readonly cover: readonly (number | 'ignore')[];
  readonly table: ProcessTable | undefined;
  /** Called in the tick in which the process begins; it leads a process group. */
  readonly onSpawn: (child: PipedChild) => void;
  /** A line about the process for whoever reads its stderr. */
  readonly onTrouble: (message: string) => void;
}

/** @param path the command, found. */
export async function startBare(request: StartRequest, path: string): Promise<StartedProcess | StartFailure> {
  const { launch, marker, cover, table, onSpawn } = request;
  const env = { ...launch.env, [markerVariable]: marker };
  const spawned = await spawnPiped({ path, args: launch.args, cwd: launch.cwd, env, descriptors: cover, onSpawn });
  if (spawned.kind === 'failed') return spawned;
  const { child, ended } = spawned;
  const tree = createProcessTree({ leader: child.pid, marker }, table);
  return { kind: 'running', child, ended, pid: child.pid, tree, resources: new AsyncDisposableStack() };
}

export interface BubblewrapStart {
  readonly prepared: PreparedLaunch;
  readonly passed: PassedDescriptors;
  /** A delegated cgroup, where there is one. */
  readonly cgroup: string | undefined;
}

export async function startInBubblewrap(
  request: StartRequest,
  { prepared, passed, cgroup }: BubblewrapStart,
): Promise<StartedProcess | StartFailure> {
  const { launch, marker, cover, table, onTrouble } = request;
  const { program, confinement } = prepared;
  const egress = confinement?.egress;
  await using resources = new AsyncDisposableStack();
  const bounds = confinement?.limits.cgroup;
  let prefix: readonly string[] = [];
  if (cgroup !== undefined && bounds !== undefined) {
    try {
      prefix = resources.use(openCgroupSlot(cgroup, marker, bounds)).prefix;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return startFailure('refused', `The limits could not be set in the cgroup "${cgroup}" (${code}): check them.`);
    }
  }
  const [path = program, ...args] = [...prefix, program, ...prepared.args];
  const own = ['pipe', 'pipe', egress === undefined ? 'ignore' : 'ipc', ...passed.all] as const;

  let stderr = '';
  const listen = (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-4_096);
  };
  const spawned = await spawnPiped({
    path,
    args,
    cwd: '/',
    env: { [markerVariable]: marker },
    descriptors: [...own, ...cover.slice(own.length)],
    onSpawn(child) {
      child.stderr.on('data', listen);
      request.onSpawn(child);
      if (egress === undefined) return;
      const network = resources.use(egress.attach(child));
      void network.ready.then((ready) => {
        if (ready.kind === 'failed') onTrouble(ready.message);
      });
    },
  });
  if (spawned.kind === 'failed') return spawned;
  const { child, ended, pipes } = spawned;
  const [status, barrier] = pipes;
  if (status === undefined || barrier === undefined)
    throw new Error(`no pipes at ${control.status}, ${control.barrier}`);

  const readiness = await untilExecuted(ended, status, barrier, prepared.stages);
  child.stderr.off('data', listen);
  switch (readiness.kind) {
    case 'running': {
      if (neverExecuted(child.exitCode, stderr)) return bubblewrapFailure(stderr, launch.command);
      const tree = createContainedTree(readiness.init, table);
      const passedOn = ended.then(({ code, signal }) => passedOnExit(code, signal));
      return { kind: 'running', child, ended: passedOn, pid: readiness.leader, tree, resources: resources.move() };
    }
    case 'failed':
      return bubblewrapFailure(stderr, launch.command);
    case 'late':
      if (readiness.init !== undefined) process.kill(readiness.init, 'SIGKILL');
      child.kill('SIGKILL');
      await ended;
      return startFailure('refused', 'The sandbox was not ready within 10 s: the machine is overloaded. Try again.');
  }
}
