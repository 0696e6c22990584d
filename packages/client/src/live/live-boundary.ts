import type { ServerChange, SessionInfo } from '@reeve/protocol';
import type { Reeve } from '../connect-reeve.ts';
import type { ChangeHub } from './change-hub.ts';
import { type LiveValue, liveValue } from './live-value.ts';
import type { BoundaryView } from './live-views.ts';
import { syncedReading } from './synced-reading.ts';

/** The boundary of a session, and what holds it. */
export function liveBoundary(reeve: Pick<Reeve, 'sessions'>, hub: ChangeHub, id: string): LiveValue<BoundaryView> {
  let info: SessionInfo | undefined;
  const reading = syncedReading({
    hub,
    read: (signal) => reeve.sessions.show(id, signal),
    take(shown) {
      info = shown;
    },
    apply(change: ServerChange) {
      if (change.kind === 'session.changed' && change.session.sessionId === (info?.sessionId ?? id))
        info = change.session;
    },
    onChange: () => value.changed(),
  });
  const value = liveValue<BoundaryView>({
    view: () => ({ state: reading.state, boundary: info?.boundary }),
    run: async (signal) => reading.follow(signal),
  });
  return value;
}
