import type { SandboxReport } from '@reeve/protocol';
import type { Enforcement, EnforcementLevel } from '@reeve/sandbox';
import type { EscapeVerdict } from '@reeve/sandbox/examine';

/**
 * - `ok`: it works · `weak`: it works, less well than it could · `wrong`: what is configured does not work
 * - `skipped`: it could not be looked at, or there was no need to
 */
export type FindingState = 'ok' | 'weak' | 'wrong' | 'skipped';

/** One thing that was looked at, in words for whoever runs the server. */
export interface Finding {
  readonly id: 'node' | 'data-directory' | 'store' | 'address' | 'agents' | 'network' | 'escapes';
  readonly state: FindingState;
  readonly detail: string;
  /** What to do about it. */
  readonly next?: string;
}

export interface FoundAgent {
  readonly name: string;
  readonly command: string;
  /** The file that would run; null where there is none. */
  readonly path: string | null;
  /** As the npm package of that file says; null for other programs, which are not started to be asked. */
  readonly version: string | null;
}

export interface DoctorMachine {
  /** Of Reeve. */
  readonly version: string;
  readonly node: string;
  /** `linux 6.18.5 x64`. */
  readonly system: string;
  /** As /etc/os-release names it; null where there is none. */
  readonly distribution: string | null;
  readonly root: boolean;
}

/** `reeve doctor --json`. Holds no token, no value of the environment and nothing of a log. */
export interface DoctorReport {
  /** What the configuration requires holds. */
  readonly ok: boolean;
  /** How well a boundary holds here. */
  readonly verdict: EnforcementLevel;
  /** One line: the verdict and its reason. */
  readonly conclusion: string;
  /** What the configuration wants of a boundary. */
  readonly required: 'enforced' | 'declared';
  readonly machine: DoctorMachine;
  readonly findings: readonly Finding[];
  readonly agents: readonly FoundAgent[];
  readonly sandbox: SandboxReport;
  /** What held a process that was started for the examination; null where none could be started. */
  readonly enforcement: Enforcement | null;
  /** Every attempt that was made to get out of a boundary. */
  readonly escapes: readonly EscapeVerdict[];
  readonly durationMs: number;
}
