import type { BoundaryRoot, RootRisk } from '@reeve/protocol';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Code } from '../ui/code.tsx';
import { FileBadge } from '../ui/file-badge.tsx';
import { RiskBadges } from './risk-badges.tsx';

interface RootListProps {
  readonly roots: readonly BoundaryRoot[];
  /** What is known of them. */
  readonly risks?: readonly RootRisk[];
}

/** Roots in their order, with what is dangerous about them. */
export function RootList({ roots, risks = [] }: RootListProps) {
  const byPath = new Map(risks.map((risk) => [risk.path, risk]));
  if (roots.length === 0) return <p className="text-sm text-muted">No root is known.</p>;
  return (
    <ul className="grid grid-cols-1 gap-1 text-sm">
      {roots.map(({ path, access, kind }) => (
        <li key={path} className="flex flex-wrap items-center gap-2">
          <Code>{path}</Code>
          <AccessBadge access={access} />
          <FileBadge kind={kind} />
          <RiskBadges risks={byPath.get(path)?.risks ?? []} highRisk={byPath.get(path)?.highRisk ?? false} />
        </li>
      ))}
    </ul>
  );
}
