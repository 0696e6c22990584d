import type { GovernedServerInfo } from '@reeve/protocol';
import { Link } from 'wouter';
import { EnforcementBadge } from '../boundary/enforcement-badge.tsx';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { ReviewServerFacts } from '../inbox/review-server-facts.tsx';
import { SessionLink } from '../shell/session-link.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ServerStateBadge } from './server-state-badge.tsx';

interface ServerCardProps {
  readonly server: GovernedServerInfo;
  readonly onShow: () => void;
}

/** One MCP server of one session. */
export function ServerCard({ server, onShow }: ServerCardProps) {
  const { name, state, origin, governed, identity, tools, enforcement, lastError, requests, sessionId } = server;
  const { from, alsoIn = [] } = server;
  return (
    <article className="grid grid-cols-1 gap-1 rounded-lg border bg-surface p-3 shadow-card">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-base wrap-anywhere">{exactText(name)}</h2>
        <ServerStateBadge state={state} />
        <Badge>from {origin}</Badge>
        {!governed && <Badge tone="danger">not reached through Reeve: it has all that the agent has</Badge>}
        <EnforcementBadge enforcement={enforcement} />
        <Button small className="ml-auto" onClick={onShow} aria-label={`Details of ${exactText(name)}`}>
          Details
        </Button>
      </div>
      {identity && <ReviewServerFacts server={identity} tools={tools} />}
      {from && (
        <p className="text-sm wrap-anywhere">
          {from === 'client' ? 'The client serves it itself.' : `The agent finds it in ${exactText(from)}.`}
        </p>
      )}
      {alsoIn.map((file) => (
        <p key={file} className="text-sm text-danger wrap-anywhere">
          Also in {exactText(file)}: the agent may start that one itself, past Reeve.
        </p>
      ))}
      {lastError && <p className="text-sm text-danger wrap-anywhere">{visibleText(lastError)}</p>}
      <p className="flex flex-wrap gap-3 text-sm">
        <span>
          of <SessionLink id={sessionId} />
        </span>
        <Link href={`/boundaries/${encodeURIComponent(sessionId)}`} className="underline underline-offset-2">
          Boundary
        </Link>
        {requests.map((request) => (
          <Link
            key={request}
            href={`/requests/${encodeURIComponent(request)}`}
            className="underline underline-offset-2"
          >
            Waits for you
          </Link>
        ))}
      </p>
    </article>
  );
}
