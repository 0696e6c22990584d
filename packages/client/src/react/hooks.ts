import { useMemo, useSyncExternalStore } from 'react';
import type { Reeve } from '../connect-reeve.ts';
import type { SessionsQuery } from '../live/live-sessions.ts';
import type { LiveState, LiveValue } from '../live/live-value.ts';
import type { BoundaryView, InboxView, SessionsView, SessionView } from '../live/live-views.ts';
import { useLive } from './reeve-provider.ts';

/** What a live value is now; renders again when it changes. */
export function useLiveValue<T>(value: LiveValue<T>): T {
  return useSyncExternalStore(value.subscribe, value.get, value.get);
}

/** The server of the nearest `ReeveProvider`, for calls. */
export function useReeve(): Reeve {
  return useLive().reeve;
}

/** How the page is connected to the server. */
export function useConnection(): LiveState {
  return useLiveValue(useLive().connection);
}

/** What waits for a person: everywhere, or in the session with the id. */
export function useInbox(session?: string): InboxView {
  const live = useLive();
  return useLiveValue(useMemo(() => live.inbox(session), [live, session]));
}

/** Sessions, newest first, by pages; with `q` those that have its words. */
export function useSessions({ cwd, q }: SessionsQuery = {}): SessionsView {
  const live = useLive();
  const sessions = useMemo(
    () =>
      live.sessions({ ...(cwd === undefined ? {} : { cwd }), ...(q === undefined || q.trim() === '' ? {} : { q }) }),
    [live, cwd, q],
  );
  return useLiveValue(sessions);
}

/** One session: what it is, what happened, what waits, and what can be done. */
export function useSession(id: string): SessionView {
  const live = useLive();
  return useLiveValue(useMemo(() => live.session(id), [live, id]));
}

/** What a session may reach, and what holds it to that. */
export function useBoundary(id: string): BoundaryView {
  const live = useLive();
  return useLiveValue(useMemo(() => live.boundary(id), [live, id]));
}
