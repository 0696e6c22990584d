import type { RootKind } from '@reeve/protocol';
import { Badge } from './badge.tsx';

/** Of a root that is a single file: without it a root is a directory with all that is in it. */
export function FileBadge({ kind }: { readonly kind: RootKind | undefined }) {
  return kind === 'file' ? <Badge>file</Badge> : null;
}
