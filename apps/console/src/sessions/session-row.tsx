import type { SessionInfo } from '@reeve/client';
import { Link } from 'wouter';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SessionMenu } from './session-menu.tsx';
import { StateBadge } from './state-badge.tsx';
import { useUnread } from './use-seen.ts';

/** A session in the list. */
export function SessionRow({ session }: { readonly session: SessionInfo }) {
  const { sessionId, title, agent, cwd, state, failure, updatedAt, lastSeq } = session;
  const unread = useUnread(sessionId, lastSeq);
  return (
    <li className="flex items-center gap-3 py-2 pr-2 pl-4 hover:bg-sunken">
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2">
          <Link
            href={`/sessions/${encodeURIComponent(sessionId)}`}
            className={`truncate hover:underline ${unread ? 'font-semibold' : 'font-medium'}`}
          >
            {visibleText(title ?? `Session ${sessionId.slice(0, 8)}`)}
            {unread && <span className="sr-only"> (unread)</span>}
          </Link>
          {unread && <span aria-hidden className="size-2 shrink-0 rounded-full bg-accent" />}
        </p>
        <p className="flex min-w-0 gap-2 text-sm text-muted">
          <span className="shrink-0">{visibleText(agent)}</span>
          <span className="truncate font-mono text-xs leading-5" dir="ltr">
            {exactText(cwd)}
          </span>
        </p>
        {state === 'failed' && failure && (
          <p className="text-sm text-danger wrap-anywhere">{visibleText(failure.message)}</p>
        )}
      </div>
      <div className="flex shrink-0 flex-col items-end gap-0.5 text-sm text-muted sm:flex-row sm:items-center sm:gap-3">
        <StateBadge session={session} />
        <span className="text-right sm:w-20">
          <RelativeTime at={updatedAt} />
        </span>
      </div>
      <SessionMenu session={session} />
    </li>
  );
}
