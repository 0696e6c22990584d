import type { SessionState } from '@reeve/client';
import { Badge, type Tone } from '../ui/badge.tsx';

const TONES: Readonly<Record<SessionState, Tone>> = {
  running: 'accent',
  waiting: 'warn',
  idle: 'ok',
  dormant: 'neutral',
  closed: 'neutral',
};

const MEANINGS: Readonly<Record<SessionState, string>> = {
  running: 'A turn is under way',
  waiting: 'It waits for a person',
  idle: 'The agent runs and waits for a prompt',
  dormant: 'No agent process; the next prompt starts one',
  closed: 'Closed; loading opens it again',
};

export function StateBadge({ state }: { readonly state: SessionState }) {
  return (
    <Badge tone={TONES[state] ?? 'neutral'} title={MEANINGS[state] ?? state}>
      {state}
    </Badge>
  );
}
