/*
 * Of the control API (`/v1`), as JSON. Readers keep members that they do not know.
 */

/** One policy in force. */
export interface PolicyInfo {
  /** Its `@id`; unique in the set. */
  readonly id: string;
  /** Its `@reason`, for people. */
  readonly reason?: string;
  readonly effect: 'permit' | 'forbid';
  readonly file: string;
  /** Of its beginning, from 1. */
  readonly line: number;
  /** Cedar. */
  readonly text: string;
}

/** `GET /v1/policies`. */
export interface PoliciesInfo {
  /** Two sets with the same hash decide the same. */
  readonly hash: string;
  readonly policies: readonly PolicyInfo[];
}

/** One text of policies, with the name that its problems are told under. */
export interface PolicyFile {
  readonly name: string;
  readonly text: string;
}

/** One thing wrong with a policy file, at its place. */
export interface PolicyProblem {
  /** A `warning` does not keep the file from being used. */
  readonly kind: 'error' | 'warning';
  readonly file: string;
  /** From 1, in characters. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly next: string;
}

/** `POST /v1/policies/check`, and `POST /v1/policies/reload`, which changes nothing where it is not `ok`. */
export interface PolicyCheckInfo {
  readonly ok: boolean;
  readonly hash?: string;
  readonly problems: readonly PolicyProblem[];
}
