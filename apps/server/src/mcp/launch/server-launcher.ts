import { type BoundaryDiff, diffBoundary } from '@reeve/policy';
import {
  type EgressDecision,
  EgressWatch,
  type Launch,
  type ProcessHolder,
  type SandboxLimits,
  type SandboxProbe,
  type StartFailure,
} from '@reeve/sandbox';
import type { ScopeChange, ServerGuard, ServerScope } from '../../boundary/server-guard.ts';
import type { LaunchRequest, LaunchResult, ServerLauncher } from '../server-launch.ts';
import { commandFrom } from './command-from.ts';
import { type FetchedProgram, fetchProgram, type PackageSource } from './fetched-program.ts';
import { lookFromInside } from './look-from-inside.ts';
import type { PackagePins } from './package-pins.ts';
import { packageRunner } from './package-runner.ts';
import { SERVER_HOME, type ServerProgram, serverLaunch, ungrantedDirectories } from './server-profile.ts';

export interface ServerLauncherOptions {
  readonly holder: ProcessHolder;
  readonly packages: PackageSource;
  /** Which archives stand behind tags and ranges. */
  readonly pins: Pick<PackagePins, 'find' | 'keep'>;
  /** Off: nothing confines servers, and only those start that need not be confined. */
  readonly enabled: boolean;
  /** `declared`: a server may run where nothing can confine it. */
  readonly require: 'enforced' | 'declared';
  /** Of each server. */
  readonly limits: SandboxLimits;
  /** What each server is given beside its own environment: PATH, language, HOME where nothing confines it. */
  readonly baseEnv: Readonly<Record<string, string>>;
  /** Directories that no server is shown whole: the user's HOME, Reeve's own data. */
  readonly closed: readonly string[];
  /** What no server is shown at all, also where a root holds it. Canonical. */
  readonly hidden: readonly string[];
  readonly stderrTailBytes: number;
  /** A server was not let through to the network: each host and port once a minute. */
  readonly onEgress: (guard: ServerGuard, decision: EgressDecision) => void;
}

type Failed = Extract<LaunchResult, { kind: 'failed' }>;

/** How often a start is begun anew because the scope became narrower meanwhile. */
const MAX_ATTEMPTS = 5;

/** Starts MCP servers, each in a sandbox that holds its own program and the roots that it was granted. */
export function createServerLauncher(options: ServerLauncherOptions): ServerLauncher {
  // What `npx` would fetch is fetched once for each server of a session: a restart does not change its version, as long as its pin stands.
  const fetched = new WeakMap<ServerGuard, Extract<FetchedProgram, { kind: 'program' }>>();
  // What each server was started in last: of two changes in a row only the later is told.
  const lastScopes = new WeakMap<ServerGuard, ServerScope>();

  async function programOf(guard: ServerGuard, scope: ServerScope, signal: AbortSignal): Promise<Failed | Plan> {
    const { transport } = guard.server;
    const { fingerprint } = guard;
    const { packages, pins } = options;
    if (transport.kind !== 'stdio') throw new Error(`a server of ${transport.kind} has no process`);
    const { command, args, env } = transport;
    const runner = packageRunner(command, args);
    switch (runner?.kind) {
      case undefined:
        return { kind: 'plan', program: { command, args, env }, confined: options.enabled };
      case 'unclear':
        return failed(`its package was not fetched: ${runner.why}. Install it, and name its program as the command`);
      case 'python':
        if (scope.network !== 'none' || !options.enabled)
          return { kind: 'plan', program: { command, args, env }, confined: options.enabled };
        return failed(
          `${runner.runner} fetches its package when it starts, and this server has no network: install the package (for example "uv tool install NAME") and name its program as the command, or grant it pypi.org and files.pythonhosted.org`,
        );
      case 'engine':
        if (options.require === 'declared') return { kind: 'plan', program: { command, args, env }, confined: false };
        return failed(
          `${runner.runner} works through the socket of its engine, through which the whole machine can be had: a sandbox does not show it. Name the program itself as the command, or set "sandbox.require" to "declared" to run it unconfined`,
        );
      case 'npm': {
        const pin = await pins.find(fingerprint, runner.spec);
        const last = fetched.get(guard);
        const known =
          (pin !== undefined && last?.from.integrity === pin.integrity ? last : undefined) ??
          (await fetchProgram(runner, { packages, pins, fingerprint, signal }));
        if (known.kind === 'failed') return failed(`its package was not fetched: ${known.reason}`, known.retry);
        fetched.set(guard, known);
        const { name, version, integrity } = known.from;
        guard.fetched({ kind: 'pinned', registry: 'npm', spec: runner.spec, name, version, integrity });
        return { kind: 'plan', program: { command: known.command, args: known.args, env }, confined: options.enabled };
      }
    }
  }

  async function launch({ guard, because, signal }: LaunchRequest): Promise<LaunchResult> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Nobody is waited for: what is granted later is another change.
      const scope = await guard.expose('reeve', AbortSignal.abort());
      const declared = await programOf(guard, scope, signal);
      if (declared.kind === 'failed') return declared;
      const plan = scope.cwd === guard.cwd ? declared : movedFrom(guard.cwd, declared);
      signal.throwIfAborted();
      const missing = plan.confined ? ungrantedDirectories(plan.program.args, scope) : [];
      if (missing.length > 0) return failed(noDirectory(missing.length));
      if (!plan.confined && options.require === 'enforced') return failed(SWITCHED_OFF);

      const start = launchOf(plan, scope, await options.holder.probe());
      const egress = new EgressWatch((decision) => options.onEgress(guard, decision));
      const started = await options.holder.start(start, {
        stderrTailBytes: options.stderrTailBytes,
        onEgress: (decision) => egress.see(decision),
      });
      if (started.kind === 'failed') return explain(started);
      const { process } = started;
      if (signal.aborted || isOutdated(scope, guard.scope())) {
        await process.stop({ graceMs: 0 });
        signal.throwIfAborted();
        continue;
      }
      guard.held(process.enforcement);
      const last = lastScopes.get(guard) ?? because?.before;
      lastScopes.set(guard, scope);
      if (last !== undefined) await verify(guard, diffBoundary(last, scope), because, scope.revision, start);
      return { kind: 'launched', process, scope };
    }
    return failed('its boundary changed again and again while it was started', true);
  }

  function launchOf({ program, confined }: Plan, scope: ServerScope, probe: SandboxProbe): Launch {
    const { baseEnv, closed, hidden, limits, require } = options;
    const anteroom = confined ? anteroomOf(probe) : UNCONFINED_ANTEROOM;
    const { profile, ...bare } = serverLaunch(program, { scope, baseEnv, closed, hidden, limits, anteroom });
    if (confined && profile !== undefined) return { ...bare, profile, require };
    return { ...bare, env: { ...baseEnv, ...program.env }, require };
  }

  /** @param diff from what it was started in before */
  async function verify(
    guard: ServerGuard,
    { taken }: BoundaryDiff,
    because: ScopeChange | undefined,
    revision: number,
    start: Launch,
  ): Promise<void> {
    if (taken.length === 0 && (because?.diff.taken.length ?? 0) === 0) return;
    const look = await lookFromInside(options.holder, start, taken).catch(
      (error: unknown) => ({ kind: 'unverified', detail: `the look from inside failed: ${String(error)}` }) as const,
    );
    guard.verified(revision, look);
  }

  return {
    async launch(request) {
      const result = await launch(request).catch(
        (error: unknown): Failed =>
          request.signal.aborted ? failed('it was not needed any more', true) : failed(messageOf(error), true),
      );
      if (result.kind === 'launched') return result;
      request.guard.held(undefined);
      const { because } = request;
      if (because !== undefined && because.diff.taken.length > 0)
        request.guard.verified(because.after.revision, { kind: 'gone', detail: 'the server does not run' });
      return result;
    },
    mustReplace: ({ before, after, diff, withdrawn }) =>
      withdrawn !== undefined ||
      before.cwd !== after.cwd ||
      diff.restart === 'required' ||
      (diff.restart === 'when_confined' && options.enabled),
  };
}

interface Plan {
  readonly kind: 'plan';
  readonly program: ServerProgram;
  readonly confined: boolean;
}

/** For a server that works elsewhere than the session. */
function movedFrom(cwd: string, plan: Plan): Plan {
  const { program } = plan;
  return { ...plan, program: { ...program, ...commandFrom(program, cwd) } };
}

const SWITCHED_OFF =
  'its boundary must be enforced, and "sandbox.backend" is "none": set that to "auto", or "sandbox.require" to "declared"';

function noDirectory(count: number): string {
  const what =
    count === 1 ? 'the directory on its command line is' : `the ${count} directories on its command line are`;
  return `${what} not granted to it, so that it would have nothing to work on: approve it (reeve roots ls shows what waits), then it is started`;
}

const UNCONFINED_ANTEROOM = '/tmp';

/** A directory that is there for a process without a root: its HOME where that is made for it. */
function anteroomOf({ usable, wrap }: SandboxProbe): string {
  if (wrap !== undefined) return '/';
  return usable ? SERVER_HOME : UNCONFINED_ANTEROOM;
}

/** Whether a process that was started in `old` sees or reaches more than it may now. */
function isOutdated(old: ServerScope, now: ServerScope): boolean {
  return diffBoundary(old, now).restart === 'required';
}

function explain({ reason, message }: StartFailure): Failed {
  if (reason === 'bad-root')
    return failed(
      'a root that was granted to it is gone, or is not the directory that was approved: see reeve roots ls',
      true,
    );
  return failed(message, reason === 'refused' || reason === 'bad-cwd');
}

function failed(reason: string, retry = false): Failed {
  return { kind: 'failed', reason, retry };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'it could not be started';
}
