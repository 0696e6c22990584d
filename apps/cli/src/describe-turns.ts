import type { SessionInfo } from '@reeve/client';
import { safeLine } from './safe-text.ts';
import { timeText } from './terminal.ts';

/** Why a session failed, and what waits in it for its turn, a line each. */
export function describeTurns({
  failure,
  queuedPrompts = [],
}: Pick<SessionInfo, 'failure' | 'queuedPrompts'>): readonly string[] {
  const queued = queuedPrompts.map(({ by, text, truncated, attachments = 0 }) => {
    const files = attachments === 0 ? '' : `, with ${attachments} ${attachments === 1 ? 'attachment' : 'attachments'}`;
    return line('queued', `by ${by}${files}: ${text}${truncated ? ' …' : ''}`);
  });
  if (!failure) return queued;
  const during = failure.during === 'start' ? 'at its start' : 'in a turn';
  return [line('failed', `${during}, ${timeText(failure.at)}: ${failure.message}`), ...queued];
}

function line(name: string, text: string): string {
  return `${name.padEnd(22)} ${safeLine(text, 500)}`;
}
