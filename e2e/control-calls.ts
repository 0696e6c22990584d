import type { ReeveAddress } from './sdk-client.ts';

/** One event of a session's log, as `GET /v1/sessions/{id}/events` gives it. */
export interface LoggedEvent {
  readonly seq: number;
  readonly source: 'agent' | 'client' | 'reeve';
  readonly kind: string;
  readonly message: unknown;
}

/** Calls the control API with the server's token; rejects on any other status than 2xx. */
export async function callControl(reeve: ReeveAddress, path: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(`${reeve.url}/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${reeve.token}`, 'content-type': 'application/json' },
  });
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

/** The whole log of a session after `after`, page by page. */
export async function readLog(reeve: ReeveAddress, sessionId: string, after = 0): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  let cursor = after;
  for (;;) {
    const path = `/sessions/${encodeURIComponent(sessionId)}/events?after=${cursor}&limit=1000`;
    const page = (await callControl(reeve, path)) as { events: LoggedEvent[]; nextAfter: number; hasMore: boolean };
    events.push(...page.events);
    cursor = page.nextAfter;
    if (!page.hasMore) return events;
  }
}
