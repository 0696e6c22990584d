import type { PassedDescriptors } from './bubblewrap/passed-descriptors.ts';
import {
  type PreparedLaunch,
  passedDescriptors,
  prepareConfined,
  prepareContained,
  type SandboxHost,
} from './bubblewrap/prepared-launch.ts';
import { type CommandPath, locateCommand } from './command-path.ts';
import type { ContainerEngine } from './container/container-engine.ts';
import type { EgressLimits } from './egress/egress-limits.ts';
import { confined, type TreeHold, unconfined } from './enforcement.ts';
import type { GitSearchLimits } from './git-search.ts';
import { HeldChild } from './held-process.ts';
import type { HolderNotice } from './holder-notice.ts';
import { coverInheritedDescriptors } from './inherited-descriptors.ts';
import type { Launch, StartOptions, StartResult } from './launch.ts';
import { type LimitExceeded, watchLimits } from './limits/watch-limits.ts';
import { createProcessGuard } from './process-guard.ts';
import { createMarker } from './process-marker.ts';
import { openProcessTable, type ProcessTable } from './process-table.ts';
import { readSandboxHost, type SandboxProbe } from './sandbox-probe.ts';
import { type StartFailure, startFailure } from './start-failure.ts';
import { planStart, type StartPlan } from './start-plan.ts';
import { type StartedProcess, type StartRequest, startBare, startInBubblewrap } from './start-process.ts';
import { createStderrTail } from './stderr-tail.ts';
import { probeBackends, type SandboxChoice } from './wrapped/probe-backends.ts';
import { startWrapped } from './wrapped/start-wrapped.ts';
import { type WrappedLaunch, wrapLaunch } from './wrapped/wrap-launch.ts';

/**
 * Starts processes and answers for their whole trees: none outlives the holder, nor the server, however that ends.
 * Disposing stops all, with the default graces; starts that come later are refused.
 */
export interface ProcessHolder extends AsyncDisposable {
  /** A failure to start is an answer, not an exception. */
  start(launch: Launch, options?: StartOptions): Promise<StartResult>;
  /** What holds the profiles of its processes; found once. */
  probe(): Promise<SandboxProbe>;
}

export interface HolderOptions {
  /** For the log. */
  readonly onNotice?: (notice: HolderNotice) => void;
  /**
   * What confines: `auto`, the default, the first that works here of bubblewrap, `container`, seatbelt and landlock; or only
   * the one named; `none` nothing, not even the tree of a process.
   */
  readonly sandbox?: SandboxChoice;
  /** The container engine, where one is configured. */
  readonly container?: ContainerEngine;
  /** Of each process whose network is a list of hosts and whose start says nothing; defaultEgressLimits unless given. */
  readonly egressLimits?: EgressLimits;
  /** How far it is looked for what git runs in the roots of a process; gitSearchLimits unless given. */
  readonly gitSearch?: GitSearchLimits;
}

const defaultTailBytes = 64 * 1024;

export function createProcessHolder({
  onNotice = () => {},
  sandbox = 'auto',
  container,
  egressLimits,
  gitSearch,
}: HolderOptions = {}): ProcessHolder {
  const table = openProcessTable();
  const cover = coverInheritedDescriptors();
  const guard = createProcessGuard(onNotice, cover);
  const held = new Set<HeldChild>();
  const starting = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  let probed: Promise<SandboxProbe> | undefined;
  const probe = () => {
    probed ??= probeBackends(sandbox, container);
    return probed;
  };

  let known: SandboxHost | undefined;
  const host = () => {
    known ??= { ...readSandboxHost(), gitSearch };
    return known;
  };

  async function start(launch: Launch, options: StartOptions): Promise<StartResult> {
    const plan = planStart(launch, await probe());
    if (plan.kind === 'failed') return plan;

    using passed = passedDescriptors();
    const marker = createMarker();
    const prepared = await prepare(plan, launch, marker, passed, {
      ...(egressLimits === undefined ? {} : { egressLimits }),
      ...options,
    }).catch(unprepared);
    if (prepared.kind === 'failed') return prepared;

    // Held by the guard from before it exists: between fork and registration the server could be killed.
    const answer = await guard.register(marker);
    if (answer.kind === 'unguarded') {
      if (prepared.kind === 'wrapped') await prepared.resources.disposeAsync();
      return startFailure('refused', answer.message);
    }
    const tail = createStderrTail(options.stderrTailBytes ?? defaultTailBytes);
    const request: StartRequest = {
      launch,
      marker,
      cover,
      table,
      onSpawn(child) {
        guard.addGroup(marker, child.pid);
        child.stderr.on('data', (chunk: Buffer) => {
          tail.push(chunk);
          options.onStderr?.(chunk);
        });
      },
      onTrouble: (message) => tail.push(Buffer.from(`reeve: ${message}\n`)),
    };
    const started = await startPrepared(request, prepared, passed);
    if (started.kind === 'failed') {
      guard.release(marker);
      return started;
    }
    const { child, ended, pid, tree, resources } = started;
    const confinement = prepared.kind === 'prepared' ? prepared.confinement : undefined;
    const boundary = prepared.kind === 'wrapped' ? prepared : confinement;
    const process = new HeldChild({
      child,
      ended,
      pid,
      tree,
      tail,
      onNotice,
      absent: boundary?.absent ?? [],
      held: confinement?.held ?? [],
      enforcement:
        prepared.kind === 'wrapped'
          ? prepared.enforcement
          : confinement === undefined
            ? unconfined(treeHold(plan.kind, table))
            : confined(confinement),
      async onGone() {
        held.delete(process);
        guard.release(marker);
        await resources.disposeAsync();
      },
    });
    held.add(process);
    if (boundary !== undefined) {
      const onExceeded = (exceeded: LimitExceeded) => {
        onNotice({ kind: 'limit-exceeded', pid, ...exceeded });
        request.onTrouble(`ended for passing its limit ${exceeded.limit}: ${exceeded.seen}, allowed ${exceeded.bound}`);
        void process.stop({ graceMs: 0, killAfterMs: 0 });
      };
      resources.use(watchLimits({ limits: boundary.limits.watch, members: tree.members, onExceeded }));
    }
    return { kind: 'started', process };
  }

  async function prepare(
    plan: StartPlan,
    launch: Launch,
    marker: string,
    passed: PassedDescriptors,
    options: StartOptions,
  ): Promise<PreparedLaunch | WrappedLaunch | CommandPath> {
    switch (plan.kind) {
      case 'bare':
        return locateCommand(launch);
      case 'contained':
        return prepareContained(plan, passed);
      case 'confined':
        return prepareConfined(plan, host(), passed, options);
      case 'wrapped': {
        const found = await locateCommand(launch);
        // An image may have a command that the host lacks.
        if (found.kind === 'failed' && (plan.backend.kind !== 'container' || found.reason !== 'not-found'))
          return found;
        const path = found.kind === 'found' ? found.path : undefined;
        return await wrapLaunch(plan.backend, { launch: plan.launch, path, host: host(), marker });
      }
    }
  }

  async function startPrepared(
    request: StartRequest,
    prepared: PreparedLaunch | WrappedLaunch | Extract<CommandPath, { kind: 'found' }>,
    passed: PassedDescriptors,
  ): Promise<StartedProcess | StartFailure> {
    switch (prepared.kind) {
      case 'found':
        return startBare(request, prepared.path);
      case 'wrapped':
        return startWrapped(request, prepared);
      case 'prepared':
        return startInBubblewrap(request, { prepared, passed, cgroup: host().limits.cgroup });
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(starting);
    await Promise.all([...held].map((process) => process[Symbol.asyncDispose]()));
    await guard[Symbol.asyncDispose]();
  }

  return {
    probe,
    async start(launch, options = {}) {
      if (closing !== undefined) return startFailure('refused', 'The server is stopping: start again once it is back.');
      const started = start(launch, options);
      starting.add(started);
      return started.finally(() => starting.delete(started));
    },
    [Symbol.asyncDispose]() {
      closing ??= close();
      return closing;
    },
  };
}

function unprepared(error: NodeJS.ErrnoException): StartFailure {
  return startFailure(
    'refused',
    `What the sandbox needs could not be opened (${error.code ?? error.message}): raise the limit on open files, or make the roots readable. Nothing was started.`,
  );
}

function treeHold(kind: StartPlan['kind'], table: ProcessTable | undefined): TreeHold {
  if (kind === 'contained') return 'contained';
  return table === undefined ? 'group-only' : 'found';
}
