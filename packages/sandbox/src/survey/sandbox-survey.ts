import { execFile } from 'node:child_process';
import type { ContainerEngine } from '../container/container-engine.ts';
import { probeContainer } from '../container/container-probe.ts';
import { planEgress } from '../egress/egress-plan.ts';
import type { SandboxBackend } from '../enforcement.ts';
import { probeLandlock } from '../landlock/landlock-probe.ts';
import { readLimitsMachine } from '../limits/limits-machine.ts';
import { type LimitTiers, planLimits } from '../limits/plan-limits.ts';
import { probeSandbox } from '../sandbox-probe.ts';
import { probeSeatbelt } from '../seatbelt/seatbelt-probe.ts';
import { seccompArchitecture } from '../seccomp/seccomp-filter.ts';

/** What one backend can do on this machine. */
export interface BackendSurvey {
  readonly backend: Exclude<SandboxBackend, 'none'>;
  readonly usable: boolean;
  /** Whether a profile counts as enforced by it. */
  readonly enforces: boolean;
  /** What was found, where it is usable: a path, a version. */
  readonly found?: string;
  /** Why it is not usable, and what to do about it where something can be done. */
  readonly reason?: string;
  readonly nextStep?: string;
}

/** What this machine has to confine processes with, whether or not it is used. */
export interface SandboxSurvey {
  /** In the order in which they are taken. */
  readonly backends: readonly BackendSurvey[];
  /** What would hold each limit under bubblewrap. */
  readonly limits: LimitTiers;
  /** What of the limits that does not hold, a sentence each. */
  readonly limitGaps: readonly string[];
  /** Whether there is a filter of system calls for this architecture. */
  readonly systemCallFilter: boolean;
  /** Whether a network rule that lists hosts can be held. */
  readonly allowLists: boolean;
}

const versionDeadlineMs = 3_000;
const someLimits = { memoryBytes: 1, processes: 1, fileBytes: 1, openFiles: 1, wallMs: 1 };

/** Tries every backend by itself. At most 9 s, most of it for a container engine that does not answer. */
export async function surveySandbox(container?: ContainerEngine): Promise<SandboxSurvey> {
  const backends = await Promise.all([bubblewrap(), ofContainer(container), seatbelt(), landlock()]);
  const { tiers, gaps } = planLimits(someLimits, readLimitsMachine(), { ownUserNamespace: true });
  return {
    backends,
    limits: tiers,
    limitGaps: gaps,
    systemCallFilter: seccompArchitecture() !== undefined,
    allowLists: planEgress({ allow: [], onDecision: () => {} }).kind === 'planned',
  };
}

async function bubblewrap(): Promise<BackendSurvey> {
  const { usable, program, reason, nextStep } = await probeSandbox();
  return {
    backend: 'bubblewrap',
    usable,
    enforces: true,
    ...(program === undefined ? {} : { found: [await versionOf(program), program].filter(Boolean).join(', ') }),
    ...(reason === undefined ? {} : { reason }),
    ...(nextStep === undefined ? {} : { nextStep }),
  };
}

async function ofContainer(engine: ContainerEngine | undefined): Promise<BackendSurvey> {
  const base = { backend: 'container', enforces: true } as const;
  if (engine === undefined) return { ...base, usable: false, reason: 'no container engine is configured' };
  const probe = await probeContainer(engine);
  if (probe.kind === 'usable') return { ...base, usable: true, found: `${engine.kind} ${probe.version}` };
  return { ...base, usable: false, reason: probe.reason, nextStep: probe.nextStep };
}

async function seatbelt(): Promise<BackendSurvey> {
  const probe = await probeSeatbelt();
  const base = { backend: 'seatbelt', enforces: true } as const;
  return probe.kind === 'usable' ? { ...base, usable: true } : { ...base, usable: false, reason: probe.reason };
}

async function landlock(): Promise<BackendSurvey> {
  const probe = await probeLandlock();
  const base = { backend: 'landlock', enforces: false } as const;
  if (probe.kind === 'unusable') return { ...base, usable: false, reason: probe.reason };
  const held = ['files', ...(probe.network ? ['TCP'] : []), ...(probe.scope ? ['signals'] : [])];
  return { ...base, usable: true, found: `${probe.setpriv}, holds ${held.join(', ')}` };
}

/** What `bwrap --version` says last: "0.8.0"; undefined where it says nothing. */
function versionOf(program: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: versionDeadlineMs, env: {} }, (_error, stdout) => {
      resolve(/\d\S*/.exec(stdout)?.[0]);
    });
  });
}
