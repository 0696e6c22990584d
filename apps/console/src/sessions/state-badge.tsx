import type { SessionInfo, SessionState } from '@reeve/client';
import { visibleText } from '../hostile/visible-text.ts';
import { Badge, type Tone } from '../ui/badge.tsx';

const TONES: Readonly<Record<SessionState, Tone>> = {
  running: 'accent',
  waiting: 'warn',
  idle: 'ok',
  dormant: 'neutral',
  failed: 'danger',
  closed: 'neutral',
};

const MEANINGS: Readonly<Record<SessionState, string>> = {
  running: 'A turn is under way',
  waiting: 'It waits for a person',
  idle: 'The agent runs and waits for a prompt',
  dormant: 'No agent process; the next prompt starts one',
  failed: 'The agent process ended in its work, or could not be started',
  closed: 'Closed; loading opens it again',
};

/** How a session stands, in one word: what waits for somebody comes before all else. */
export function StateBadge({ session }: { readonly session: SessionInfo }) {
  const { state, pendingRequests, failure } = session;
  if (pendingRequests > 0) {
    return (
      <Badge tone={TONES.waiting} title={MEANINGS.waiting}>
        {pendingRequests} waiting
      </Badge>
    );
  }
  const why = state === 'failed' && failure ? visibleText(failure.message) : undefined;
  return (
    <Badge tone={TONES[state] ?? 'neutral'} title={why ?? MEANINGS[state] ?? state}>
      {state}
    </Badge>
  );
}
