import type { JsonObject } from '@reeve/protocol';
import { textMember } from '../data/json-members.ts';
import { useSessionFacts } from '../inbox/use-session-facts.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Badge } from '../ui/badge.tsx';
import { Code } from '../ui/code.tsx';
import { rootOf } from './root-of.ts';

interface ToolPlacesProps {
  readonly locations: readonly JsonObject[];
  readonly sessionId: string;
}

/** The places that a tool call names, and which root of the boundary each lies in. */
export function ToolPlaces({ locations, sessionId }: ToolPlacesProps) {
  const roots = useSessionFacts(sessionId)?.boundary?.roots;
  if (locations.length === 0) return null;
  return (
    <ul className="grid grid-cols-1 gap-1 text-sm" aria-label="Places that it names">
      {locations.map((location, index) => {
        const path = textMember(location, 'path') ?? '';
        const root = roots && rootOf(roots, path);
        return (
          <li key={index} className="flex flex-wrap items-center gap-2">
            <Code>{path}</Code>
            {root && (
              <span className="flex items-center gap-1 text-muted">
                in root <Code>{root.name ?? root.path}</Code> <AccessBadge access={root.access} />
              </span>
            )}
            {roots && !root && <Badge tone="danger">outside every root</Badge>}
          </li>
        );
      })}
    </ul>
  );
}
