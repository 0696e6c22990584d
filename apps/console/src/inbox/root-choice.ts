import type { BoundaryAccess, ReviewRoot } from '@reeve/protocol';

/** What of a root that was asked for is given. */
export interface RootChoice {
  readonly path: string;
  readonly access: BoundaryAccess | 'none';
}

/** As it was asked. */
export function rootChoices(asked: readonly ReviewRoot[] | undefined): readonly RootChoice[] {
  return (asked ?? []).map(({ path, access }) => ({ path, access }));
}

/** What may be given of a root: what was asked, or less. */
export function accessesBelow(access: BoundaryAccess): readonly RootChoice['access'][] {
  return access === 'rw' ? ['rw', 'ro', 'none'] : ['ro', 'none'];
}
