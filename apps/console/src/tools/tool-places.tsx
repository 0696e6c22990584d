import type { JsonObject } from '@reeve/protocol';
import { textMember } from '../data/json-members.ts';
import { PlaceLine } from './place-line.tsx';

interface ToolPlacesProps {
  readonly locations: readonly JsonObject[];
  readonly sessionId: string;
}

/** The places that a tool call names, and which root of the boundary each lies in. */
export function ToolPlaces({ locations, sessionId }: ToolPlacesProps) {
  if (locations.length === 0) return null;
  return (
    <ul className="grid grid-cols-1 gap-1 text-sm" aria-label="Places that it names">
      {locations.map((location, index) => (
        <li key={index}>
          <PlaceLine path={textMember(location, 'path') ?? ''} sessionId={sessionId} />
        </li>
      ))}
    </ul>
  );
}
