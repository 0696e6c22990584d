import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replacedRoot } from '../approved-place.ts';
import { isWithin } from '../bubblewrap/mount.ts';
import type { SandboxHost } from '../bubblewrap/prepared-launch.ts';
import { containerPlan } from '../container/container-command.ts';
import type { ContainerEngine } from '../container/container-engine.ts';
import { type Enforcement, wrapped } from '../enforcement.ts';
import { landlockPlan } from '../landlock/landlock-arguments.ts';
import type { Launch } from '../launch.ts';
import { openCgroupSlot } from '../limits/cgroup-slot.ts';
import { type LimitsPlan, planLimits } from '../limits/plan-limits.ts';
import type { Profile } from '../profile.ts';
import { type GuardedRoot, guardedRoots } from '../protected-places.ts';
import { seatbeltPlan } from '../seatbelt/seatbelt-profile.ts';
import type { StartFailure } from '../start-failure.ts';
import type { WrapBackend } from './wrap-backend.ts';

export interface WrapRequest {
  readonly launch: Launch & { readonly profile: Profile };
  /** The command, found outside; undefined where only a container may have it. */
  readonly path: string | undefined;
  readonly host: SandboxHost;
  /** Of the process, as its marker: names what is made for it. */
  readonly marker: string;
}

/** A launch that holds another one, to be started as it is. */
export interface WrappedLaunch {
  readonly kind: 'wrapped';
  readonly launch: Launch;
  readonly enforcement: Enforcement;
  readonly limits: LimitsPlan;
  /** Protected paths that did not exist. */
  readonly absent: readonly string[];
  /** To be disposed of when the tree is gone, or nothing was started. */
  readonly resources: AsyncDisposableStack;
}

const removeDeadlineMs = 10_000;

export async function wrapLaunch(backend: WrapBackend, request: WrapRequest): Promise<WrappedLaunch | StartFailure> {
  const replaced = replacedRoot(request.launch.profile.roots);
  if (replaced !== undefined) return replaced;
  switch (backend.kind) {
    case 'container':
      return inContainer(backend.engine, request);
    case 'seatbelt': {
      const guarded = await guardedRoots(request.launch.profile, request.host.gitSearch);
      const plan = seatbeltPlan(request.launch.profile, guarded);
      if (plan.kind === 'failed') return plan;
      return behindPrefix('seatbelt', request, { ...plan, guarded }, 'enforced');
    }
    case 'landlock': {
      const plan = landlockPlan(request.launch.profile, request.host.runtime, backend.reach);
      const guarded = await guardedRoots(request.launch.profile, request.host.gitSearch);
      return behindPrefix('landlock', request, { ...plan, guarded }, backend.reach.network ? 'partial' : 'declared');
    }
  }
}

interface PrefixPlan {
  readonly prefix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly gaps: readonly string[];
  readonly guarded: readonly GuardedRoot[];
}

function behindPrefix(
  backend: 'seatbelt' | 'landlock',
  { launch, path, host, marker }: WrapRequest,
  { prefix, env, gaps, guarded }: PrefixPlan,
  network: Enforcement['network'],
): WrappedLaunch {
  const { profile } = launch;
  const limits = planLimits(profile.limits, host.limits, { ownUserNamespace: false });
  const resources = new AsyncDisposableStack();
  const { cgroup } = host.limits;
  const joined =
    cgroup === undefined || limits.cgroup === undefined
      ? []
      : resources.use(openCgroupSlot(cgroup, marker, limits.cgroup)).prefix;
  const [command = '', ...args] = [...joined, ...limits.prefix, ...prefix, path ?? launch.command, ...launch.args];
  return {
    kind: 'wrapped',
    launch: { command, args, env: { ...launch.env, ...env }, cwd: launch.cwd },
    enforcement: wrapped({ backend, profile, limits, network, gaps }),
    limits,
    absent: absentIn(guarded),
    resources,
  };
}

async function inContainer(engine: ContainerEngine, request: WrapRequest): Promise<WrappedLaunch | StartFailure> {
  const { launch, path, marker } = request;
  const { profile } = launch;
  const staging = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-container-')));
  const resources = new AsyncDisposableStack();
  resources.defer(() => rmSync(staging, { recursive: true, force: true }));
  const command = path !== undefined && isShown(path, profile) ? path : launch.command;
  const guarded = await guardedRoots(profile, request.host.gitSearch);
  const plan = containerPlan({ ...launch, command }, profile, guarded, {
    engine,
    name: `reeve-${marker}`,
    staging,
    user: process.getuid?.() ?? 0,
    group: process.getgid?.() ?? 0,
  });
  if (plan.kind === 'failed') {
    rmSync(staging, { recursive: true, force: true });
    return plan;
  }
  for (const place of plan.staged) {
    if (place.kind === 'directory') mkdirSync(place.path, { mode: 0o555 });
    else writeFileSync(place.path, place.text, { mode: place.mode });
  }
  // Before the staged files go. It may be gone already.
  resources.defer(() => run(plan.stop.command, plan.stop.args, plan.env));
  const limits = heldByEngine(profile);
  return {
    kind: 'wrapped',
    launch: { command: plan.command, args: plan.args, env: plan.env, cwd: '/' },
    enforcement: wrapped({ backend: 'container', profile, limits, network: 'enforced', gaps: plan.gaps }),
    limits,
    absent: absentIn(guarded),
    resources,
  };
}

/** The engine makes a cgroup and sets rlimits; only the clock is the server's. */
function heldByEngine({ limits }: Profile): LimitsPlan {
  const { memoryBytes, processes, fileBytes, openFiles, wallMs } = limits;
  return {
    prefix: [],
    cgroup: undefined,
    watch: wallMs === undefined ? {} : { wallMs },
    tiers: {
      memoryBytes: memoryBytes === undefined ? 'none' : 'cgroup',
      processes: processes === undefined ? 'none' : 'cgroup',
      fileBytes: fileBytes === undefined ? 'none' : 'prlimit',
      openFiles: openFiles === undefined ? 'none' : 'prlimit',
      wallMs: wallMs === undefined ? 'none' : 'watchdog',
    },
    gaps: [],
  };
}

function isShown(path: string, { roots, readOnly, state }: Profile): boolean {
  const places = [...roots.map((root) => root.path), ...readOnly, ...state.map((kept) => kept.path)];
  return places.some((place) => isWithin(path, place));
}

function absentIn(guarded: readonly GuardedRoot[]): readonly string[] {
  return guarded.flatMap(({ paths }) => paths).filter((path) => !existsSync(path));
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve) => {
    execFile(command, args, { env, timeout: removeDeadlineMs }, () => resolve());
  });
}
