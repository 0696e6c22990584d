import type { SessionInfo } from '@reeve/client';
import { useRef } from 'react';
import { Link } from 'wouter';
import { visibleText } from '../hostile/visible-text.ts';
import { StateBadge } from '../sessions/state-badge.tsx';
import { EnforcementBadge } from './enforcement-badge.tsx';
import { RootList } from './root-list.tsx';
import { useRootRisks } from './use-root-risks.ts';

/** What one session may reach, in the list of all. */
export function SessionBoundary({ session }: { readonly session: SessionInfo }) {
  const { sessionId, title, boundary, enforcement } = session;
  const place = useRef<HTMLLIElement>(null);
  const risks = useRootRisks(place, sessionId, boundary?.revision);
  return (
    <li ref={place} className="rounded-lg border bg-surface p-3 shadow-card">
      <p className="mb-1 flex flex-wrap items-center gap-2">
        <Link
          href={`/boundaries/${encodeURIComponent(sessionId)}`}
          className="font-medium underline underline-offset-2 wrap-anywhere"
        >
          {visibleText(title ?? `Session ${sessionId.slice(0, 8)}`)}
        </Link>
        <StateBadge session={session} />
        <EnforcementBadge enforcement={boundary?.enforcement.agent ?? enforcement} />
        {boundary && <span className="text-sm text-muted">revision {boundary.revision}</span>}
      </p>
      <RootList roots={boundary?.roots ?? []} risks={risks} />
    </li>
  );
}
