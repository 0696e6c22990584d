import type { AuditFact, BoundaryRefusal } from '../audit/audit-fact.ts';

/** A directory that cannot be of a boundary, and why. */
export interface PlaceRefusal {
  readonly reason: BoundaryRefusal;
  /** Canonical where something is there, else as it was named; missing where it is about none. */
  readonly path?: string;
}

/** @param session missing where it never came to be */
export function boundaryRefused(
  refusals: readonly PlaceRefusal[],
  { by, session }: { readonly by: string; readonly session?: string | undefined },
): AuditFact {
  return {
    kind: 'boundary.refused',
    ...(session === undefined ? {} : { session }),
    by,
    decision: 'deny',
    reasons: refusals.map(({ reason }) => reason),
    places: refusals.flatMap(({ path }) => (path === undefined ? [] : [{ path }])),
  };
}
