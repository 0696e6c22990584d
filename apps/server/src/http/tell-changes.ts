import type { AlarmNotice, SessionId, SessionInfo } from '@reeve/protocol';
import type { BoundaryAlarm } from '../boundary/session-ground.ts';
import type { ChangeFeed } from '../events/change-feed.ts';
import type { EventFeed } from '../events/event-feed.ts';

/** What happens to a session within this time is told at once, as one change. */
const GATHER_MS = 200;
/** How many sessions are told of in that time; the others come in the next. */
const SESSIONS_AT_ONCE = 100;

export interface TellChangesOptions {
  readonly feed: EventFeed;
  readonly changes: ChangeFeed;
  /** As others find it; undefined for one that is gone. */
  readonly session: (id: SessionId) => Promise<SessionInfo | undefined>;
  readonly onError: (error: unknown) => void;
}

/** Publishes what became of sessions, for as long as somebody reads it. Disposing ends it. */
export function tellChanges({ feed, changes, session, onError }: TellChangesOptions): Disposable {
  const changed = new Set<SessionId>();
  /** Of the boundary that was told last, by session. */
  const revisions = new Map<SessionId, number>();
  let timer: NodeJS.Timeout | undefined;

  const later = (): void => {
    timer ??= setTimeout(tell, GATHER_MS).unref();
  };

  const tellOne = async (id: SessionId): Promise<void> => {
    const info = await session(id);
    if (!info) {
      revisions.delete(id);
      return changes.publish({ kind: 'session.removed', sessionId: id });
    }
    changes.publish({ kind: 'session.changed', session: info });
    const { boundary } = info;
    if (boundary === undefined) return;
    const before = revisions.get(id);
    revisions.set(id, boundary.revision);
    if (before === undefined || before === boundary.revision) return;
    changes.publish({ kind: 'boundary.changed', sessionId: id, revision: boundary.revision });
  };

  const tell = async (): Promise<void> => {
    const ids = [...changed].slice(0, SESSIONS_AT_ONCE);
    for (const id of ids) changed.delete(id);
    await Promise.all(ids.map((id) => tellOne(id).catch(onError)));
    timer = undefined;
    if (changed.size > 0) later();
  };

  feed.listen((id) => {
    if (!changes.watched) {
      if (changed.size === 0 && timer === undefined) changes.skip();
      return revisions.clear();
    }
    changed.add(id);
    later();
  });
  return {
    [Symbol.dispose]() {
      feed.listen(undefined);
      clearTimeout(timer);
    },
  };
}

/** An alarm without the path, which the audit log alone tells. */
export function noticeOf({ at, session, server, access, by, tool, count }: BoundaryAlarm): AlarmNotice {
  return {
    at,
    ...(session === undefined ? {} : { sessionId: session }),
    server: server.name,
    access,
    by,
    ...(tool === undefined ? {} : { tool }),
    count,
  };
}
