export type OfSession<Kind extends string, Says> = { readonly kind: Kind; readonly session: string } & Says;

/** How a process is held, as far as it is told without naming a path. */
export interface EnforcementFact {
  readonly backend: string;
  readonly fs: string;
  readonly network: string;
  readonly limits: string;
  /** Each a sentence that begins with its topic and a colon: only the topic is kept, the rest may name a path. */
  readonly gaps: readonly string[];
}

/** A path that a fact is about. Only its label, and the path encrypted, are kept. */
export interface FactPlace {
  /** Absolute; a path that is not is passed over. */
  readonly path: string;
  /** Given for a root of a boundary, which is looked at for the repository that it lies in. */
  readonly access?: 'ro' | 'rw';
}
