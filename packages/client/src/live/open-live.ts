import type { Reeve } from '../connect-reeve.ts';
import { changeHub } from './change-hub.ts';
import { liveBoundary } from './live-boundary.ts';
import { liveInbox } from './live-inbox.ts';
import { liveSession } from './live-session.ts';
import { liveSessions, type SessionsQuery } from './live-sessions.ts';
import type { LiveState, LiveValue } from './live-value.ts';
import type { BoundaryView, InboxView, SessionsView, SessionView } from './live-views.ts';

/** How many values that nobody asked for lately are remembered. */
const MAX_KEPT = 64;

/** Live values of one server: who asks for the same one gets the same one. */
export interface LiveReeve {
  readonly reeve: Reeve;
  /** Of the stream that tells what changed. */
  readonly connection: LiveValue<LiveState>;
  inbox(session?: string): LiveValue<InboxView>;
  sessions(query?: SessionsQuery): LiveValue<SessionsView>;
  session(id: string): LiveValue<SessionView>;
  boundary(id: string): LiveValue<BoundaryView>;
  /** Tries again after a refusal: with another token, or because somebody wants it. */
  retry(): void;
}

export function openLive(reeve: Reeve): LiveReeve {
  const hub = changeHub(reeve);
  const kept = new Map<string, unknown>();
  const keep = <T>(key: string, make: () => T): T => {
    const value = (kept.get(key) as T | undefined) ?? make();
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    return value;
  };
  return {
    reeve,
    connection: hub.state,
    inbox: (session) => keep(`inbox ${session ?? ''}`, () => liveInbox(reeve, hub, session)),
    sessions: (query = {}) => keep(`sessions ${JSON.stringify(query)}`, () => liveSessions(reeve, hub, query)),
    session: (id) => keep(`session ${id}`, () => liveSession(reeve, hub, id)),
    boundary: (id) => keep(`boundary ${id}`, () => liveBoundary(reeve, hub, id)),
    retry: () => hub.restart(),
  };
}
