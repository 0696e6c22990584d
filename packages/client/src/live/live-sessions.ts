import type { ServerChange, SessionInfo, SessionPage } from '@reeve/protocol';
import { answeredInTime } from '../answered-in-time.ts';
import type { Reeve } from '../connect-reeve.ts';
import type { SessionListQuery } from '../session-calls.ts';
import type { ChangeHub } from './change-hub.ts';
import { type LiveValue, liveValue } from './live-value.ts';
import type { SessionsView } from './live-views.ts';
import { syncedReading } from './synced-reading.ts';

const PAGE = 100;

export interface SessionsQuery {
  readonly cwd?: string;
  /** Words of the title or of what was said. What comes to match later is found by the next search. */
  readonly q?: string;
}

/** Sessions, newest first, by pages. */
export function liveSessions(
  reeve: Pick<Reeve, 'sessions'>,
  hub: ChangeHub,
  query: SessionsQuery = {},
): LiveValue<SessionsView> {
  let sessions: readonly SessionInfo[] = [];
  let nextCursor: string | undefined;
  let pages = 1;
  let loading: Promise<void> | undefined;

  const apply = (change: ServerChange): void => {
    if (change.kind === 'session.removed')
      sessions = sessions.filter(({ sessionId }) => sessionId !== change.sessionId);
    else if (change.kind === 'session.changed') put(change.session);
  };
  const put = (session: SessionInfo): void => {
    if (query.cwd !== undefined && session.cwd !== query.cwd) return;
    const isKnown = sessions.some(({ sessionId }) => sessionId === session.sessionId);
    if (!isKnown && query.q !== undefined) return;
    const others = sessions.filter(({ sessionId }) => sessionId !== session.sessionId);
    const oldest = others.at(-1)?.updatedAt ?? 0;
    // What is older than all that were loaded comes with its page.
    if (!isKnown && nextCursor !== undefined && session.updatedAt < oldest) return;
    sessions = [...others, session].sort(byActivity);
  };

  /** Of a search: asked for again until all that was said is searched. */
  const wholePage = async (asked: SessionListQuery, signal: AbortSignal): Promise<SessionPage> => {
    for (;;) {
      const page = await answeredInTime((either) => reeve.sessions.list(asked, either), signal);
      if (!page.incomplete) return page;
    }
  };

  const reading = syncedReading({
    hub,
    async read(signal) {
      const read: SessionInfo[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < pages; page += 1) {
        const next = await wholePage({ ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }, signal);
        read.push(...next.sessions);
        cursor = next.nextCursor;
        if (cursor === undefined) break;
      }
      return { read, cursor };
    },
    take({ read, cursor }) {
      sessions = unique(read);
      nextCursor = cursor;
    },
    apply,
    onChange: () => value.changed(),
  });

  const loadMore = (): Promise<void> => {
    loading ??= (async () => {
      const cursor = nextCursor;
      if (cursor === undefined) return;
      const page = await answeredInTime((signal) => reeve.sessions.list({ ...query, limit: PAGE, cursor }, signal));
      if (nextCursor !== cursor) return;
      pages += 1;
      nextCursor = page.nextCursor;
      sessions = unique([...sessions, ...page.sessions]);
      value.changed();
    })().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  const value = liveValue<SessionsView>({
    view: () => ({ state: reading.state, sessions, hasMore: nextCursor !== undefined, loadMore }),
    run: async (signal) => reading.follow(signal),
  });
  return value;
}

/** A session that moved up between two pages is in both. */
function unique(sessions: readonly SessionInfo[]): readonly SessionInfo[] {
  return [...new Map(sessions.map((session) => [session.sessionId, session])).values()].sort(byActivity);
}

function byActivity(a: SessionInfo, b: SessionInfo): number {
  return b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1);
}
