import { bubblewrapFailure } from './bubblewrap/bubblewrap-failure.ts';
import { createContainedTree } from './bubblewrap/contained-tree.ts';
import type { PassedDescriptors } from './bubblewrap/passed-descriptors.ts';
import type { PreparedLaunch } from './bubblewrap/prepared-launch.ts';
import { untilExecuted } from './bubblewrap/sandbox-readiness.ts';
import { type ProcessExit, passedOnExit } from './exit-status.ts';
import { type Launch, type StartFailure, startFailure } from './launch.ts';
import type { ProcessTable } from './process-table.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
import { type PipedChild, spawnPiped } from './spawn-piped.ts';

/** A process that runs. */
export interface StartedProcess {
  readonly kind: 'running';
  readonly child: PipedChild;
  readonly ended: Promise<ProcessExit>;
  /** Of the leader, as seen outside. */
  readonly pid: number;
  readonly tree: ProcessTree;
}

export interface StartRequest {
  readonly launch: Launch;
  /** The command, found. */
  readonly path: string;
  readonly marker: string;
  /** The environment as it will be. */
  readonly env: Readonly<Record<string, string>>;
  /** What covers inherited descriptors (inherited-descriptors.ts). */
  readonly cover: readonly (number | 'ignore')[];
  readonly table: ProcessTable | undefined;
  /** Called as soon as the process exists, with the leader of its process group. */
  readonly onSpawn: (child: PipedChild) => void;
}

export async function startBare(request: StartRequest): Promise<StartedProcess | StartFailure> {
  const { launch, path, marker, env, cover, table, onSpawn } = request;
  const spawned = await spawnPiped({ path, args: launch.args, cwd: launch.cwd, env, descriptors: cover });
  if (spawned.kind === 'failed') return spawned;
  const { child, ended } = spawned;
  onSpawn(child);
  return {
    kind: 'running',
    child,
    ended,
    pid: child.pid,
    tree: createProcessTree({ leader: child.pid, marker }, table),
  };
}

/** @param program path of bubblewrap. */
export async function startInBubblewrap(
  request: StartRequest,
  program: string,
  prepared: PreparedLaunch,
  passed: PassedDescriptors,
): Promise<StartedProcess | StartFailure> {
  const { launch, env, cover, table, onSpawn } = request;
  const own = ['pipe', 'pipe', ...passed.all] as const;
  const spawned = await spawnPiped({
    path: program,
    args: prepared.args,
    cwd: '/',
    env: { ...env, ...prepared.env },
    descriptors: [...own, ...cover.slice(own.length)],
  });
  if (spawned.kind === 'failed') return spawned;
  const { child, ended, pipes } = spawned;
  const [status, gate] = pipes;
  if (status === undefined || gate === undefined) throw new Error('bubblewrap was started without its pipes');
  onSpawn(child);

  let stderr = '';
  const listen = (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('latin1')).slice(-4_096);
  };
  child.stderr.on('data', listen);
  const readiness = await untilExecuted(ended, status, gate);
  child.stderr.off('data', listen);
  switch (readiness.kind) {
    case 'running': {
      const tree = createContainedTree(readiness.init, table);
      const passedOn = ended.then(({ code, signal }) => passedOnExit(code, signal));
      return { kind: 'running', child, ended: passedOn, pid: readiness.leader, tree };
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
