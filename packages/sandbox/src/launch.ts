import type { HeldProcess } from './held-process.ts';

/** One program to start. Nothing is added to it but the marker variable (process-marker.ts). */
export interface Launch {
  /** A path (absolute, or with a slash and relative to `cwd`), or a name looked up on `env.PATH`. */
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process: nothing of the server's own is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of an existing directory. */
  readonly cwd: string;
}

export interface StartOptions {
  /** How many of the last bytes of stderr are kept; 65,536 unless given. */
  readonly stderrTailBytes?: number;
  /** Sees every chunk of stderr as it comes; what it throws is not caught. */
  readonly onStderr?: (chunk: Buffer) => void;
}

/** A refusal to start; `message` names the cause and the next step, and never a value of `env` other than PATH. */
export interface StartFailure {
  readonly kind: 'failed';
  readonly reason: 'not-found' | 'not-executable' | 'bad-cwd' | 'refused';
  readonly message: string;
}

export type StartResult = { readonly kind: 'started'; readonly process: HeldProcess } | StartFailure;

export function startFailure(reason: StartFailure['reason'], message: string): StartFailure {
  return { kind: 'failed', reason, message };
}
