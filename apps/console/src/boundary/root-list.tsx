import type { BoundaryRoot } from '@reeve/protocol';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Code } from '../ui/code.tsx';

/** Roots in their order. */
export function RootList({ roots }: { readonly roots: readonly BoundaryRoot[] }) {
  if (roots.length === 0) return <p className="text-sm text-muted">No root is known.</p>;
  return (
    <ul className="grid grid-cols-1 gap-1 text-sm">
      {roots.map(({ path, access }) => (
        <li key={path} className="flex flex-wrap items-center gap-2">
          <Code>{path}</Code>
          <AccessBadge access={access} />
        </li>
      ))}
    </ul>
  );
}
