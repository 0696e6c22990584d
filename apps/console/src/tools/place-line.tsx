import { useSessionFacts } from '../data/use-session-facts.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/code.tsx';
import { rootOf } from './root-of.ts';

interface PlaceLineProps {
  readonly path: string;
  readonly sessionId: string;
}

/** A place that a call names, and which root of the session's boundary it lies in. */
export function PlaceLine({ path, sessionId }: PlaceLineProps) {
  const session = useSessionFacts(sessionId);
  const roots = session?.boundary?.roots;
  // Only a directory of the session can be meant by words that do not begin at the top.
  const whole = path.startsWith('/') || !session ? path : `${session.cwd}/${path}`;
  const root = roots && rootOf(roots, whole);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Code>{path}</Code>
      {root && (
        <span className="flex items-center gap-1 text-muted">
          in root <Code>{root.name ?? root.path}</Code> <AccessBadge access={root.access} />
        </span>
      )}
      {roots && !root && <Badge tone="danger">outside every root</Badge>}
    </span>
  );
}
