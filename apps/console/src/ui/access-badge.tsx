import type { BoundaryAccess } from '@reeve/protocol';
import { Badge } from './badge.tsx';

/** What may be done with a root. */
export function AccessBadge({ access }: { readonly access: BoundaryAccess }) {
  return access === 'rw' ? <Badge tone="warn">read-write</Badge> : <Badge>read-only</Badge>;
}
