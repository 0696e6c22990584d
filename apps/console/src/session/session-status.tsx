import type { SessionView } from '@reeve/client';
import { UsageText } from './usage-text.tsx';

/** What the agent is doing now, and what it has used. */
export function SessionStatus({ session }: { readonly session: SessionView }) {
  const { state, timeline, requests } = session;
  return (
    <div className="flex min-h-5 flex-wrap items-center justify-between gap-2 text-sm text-muted">
      <p role="status">{statusText(state.kind, timeline.running, requests.length)}</p>
      {timeline.usage && <UsageText usage={timeline.usage} />}
    </div>
  );
}

function statusText(state: string, running: boolean, waiting: number): string {
  if (state === 'reconnecting') return 'The server does not answer. What is shown may be old.';
  if (waiting > 0) return 'It waits for you.';
  return running ? 'The agent works …' : '';
}
