export function startFailure(reason: StartFailure['reason'], message: string): StartFailure {
  return { kind: 'failed', reason, message };
}

export type StartFailureReason =
  | 'not-found'
  | 'not-executable'
  | 'bad-cwd'
  /** A root is gone, or is not the directory that was approved. */
  | 'bad-root'
  /** The command exists, but the profile does not show it. */
  | 'not-visible'
  /** The profile must be enforced and no backend works on this machine. */
  | 'no-sandbox'
  | 'refused';

/** A refusal to start; `message` names the cause and the next step, and never a value of `env` other than PATH. */
export interface StartFailure {
  readonly kind: 'failed';
  readonly reason: StartFailureReason;
  readonly message: string;
}
