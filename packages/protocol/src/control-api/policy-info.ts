/*
 * Of the control API (`/v1`), as JSON. Readers keep members that they do not know.
 */

/** One policy in force. */
export interface PolicyInfo {
  readonly id: string;
  readonly reason?: string;
  readonly effect: 'permit' | 'forbid';
  readonly file: string;
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

export interface PolicyFileInfo {
  readonly name: string;
  readonly text: string;
}

/** `POST /v1/policies/check`, and `POST /v1/policies/reload`, which changes nothing where it is not `ok`. */
export interface PolicyCheckInfo {
  readonly ok: boolean;
  readonly hash?: string;
  readonly problems: readonly {
    readonly kind: 'error' | 'warning';
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly next: string;
  }[];
}
