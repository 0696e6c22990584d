import type { BoundaryAccess, RootKind } from './boundary.ts';

/** A root, and what was found out about it. */
export interface ExaminedRoot {
  /** Canonical. */
  readonly path: string;
  readonly access: BoundaryAccess;
  /** `directory` unless told. */
  readonly kind?: RootKind;
  readonly name?: string;
  /** Classes of risk, the gravest first; `ordinary` stands alone. */
  readonly risks: readonly string[];
  readonly highRisk: boolean;
  readonly inProject: boolean;
}
