import type { EgressDecision } from './egress/egress-decision.ts';
import type { EgressLimits } from './egress/egress-limits.ts';
import type { HeldProcess } from './held-process.ts';
import type { Profile } from './profile.ts';
import type { StartFailure } from './start-failure.ts';

/**
 * One program to start. Nothing is added to its environment but the marker variable (process-marker.ts) and, with a
 * profile, HOME and what its network needs.
 */
export interface Launch {
  /** A path (absolute, or with a slash and relative to `cwd`), or a name looked up on `env.PATH`. */
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process: nothing of the server's own is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of an existing directory. */
  readonly cwd: string;
  /** The boundary it runs in. Without one nothing confines it. */
  readonly profile?: Profile;
  /**
   * What becomes of a profile that no backend can hold here: `enforced`, the default, refuses to start; `declared` starts
   * without confinement and says so in `enforcement`.
   */
  readonly require?: 'enforced' | 'declared';
}

export interface StartOptions {
  /** How many of the last bytes of stderr are kept; 65,536 unless given. */
  readonly stderrTailBytes?: number;
  /** Sees every chunk of stderr as it comes; what it throws is not caught. */
  readonly onStderr?: (chunk: Buffer) => void;
  /** Sees each decision about a connection, where the network rule is a list of allowed hosts. */
  readonly onEgress?: (decision: EgressDecision) => void;
  /** Bounds of the network of a process whose rule is such a list; those of the holder unless given. */
  readonly egressLimits?: EgressLimits;
}

export type StartResult = { readonly kind: 'started'; readonly process: HeldProcess } | StartFailure;
