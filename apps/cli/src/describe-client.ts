import type { AttachedClient } from '@reeve/client';
import { safeLine } from './safe-text.ts';
import { timeText } from './terminal.ts';

/** How each way to be in a session is called. */
const WAYS: Readonly<Record<AttachedClient['transport'], string>> = {
  websocket: 'ACP over a WebSocket',
  http: 'ACP over HTTP',
  call: 'a call of the HTTP API',
  events: 'reads the events',
};

/** Somebody who is attached to a session, as one line. A server may know ways that this command does not. */
export function describeClient({ claimed, transport, role, since }: AttachedClient): string {
  const name = claimed
    ? `${[claimed.title ?? claimed.name, claimed.version].filter(Boolean).join(' ')} (as it says)`
    : 'a program without a name';
  const way = WAYS[transport] ?? String(transport);
  const rights = transport === 'events' ? '' : role === 'observer' ? ', only looks on' : ', may act';
  return `${'attached'.padEnd(22)} ${safeLine(`${name}, ${way}${rights}, since ${timeText(since)}`, 500)}`;
}
