import { Link } from 'wouter';
import { EnforcementBadge } from '../boundary/enforcement-badge.tsx';
import { useSessionFacts } from '../data/use-session-facts.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/code.tsx';

/** Which session asks: its agent, title, directory, and what holds its boundary. */
export function SessionFacts({ sessionId }: { readonly sessionId: string }) {
  const session = useSessionFacts(sessionId);
  return (
    <>
      {session && <Badge>{visibleText(session.agent)}</Badge>}
      <Link
        href={`/sessions/${encodeURIComponent(sessionId)}`}
        className="wrap-anywhere font-medium text-ink underline underline-offset-2"
      >
        {visibleText(session?.title ?? `Session ${sessionId.slice(0, 8)}`)}
      </Link>
      {session && (
        <span>
          in <Code>{session.cwd}</Code>
        </span>
      )}
      {session && <EnforcementBadge enforcement={session.boundary?.enforcement.agent ?? session.enforcement} />}
    </>
  );
}
