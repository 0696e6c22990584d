import type { BoundaryInfo, ServerChange, SessionInfo } from '@reeve/protocol';
import { answeredInTime } from '../answered-in-time.ts';
import type { Reeve } from '../connect-reeve.ts';
import type { ChangeHub } from './change-hub.ts';
import { type LiveValue, liveValue } from './live-value.ts';
import type { BoundaryView } from './live-views.ts';
import { syncedReading } from './synced-reading.ts';

/** The boundary of a session, what holds it, and how its servers stand with it. */
export function liveBoundary(
  reeve: Pick<Reeve, 'sessions' | 'boundaries'>,
  hub: ChangeHub,
  id: string,
): LiveValue<BoundaryView> {
  let info: SessionInfo | undefined;
  let standing: BoundaryInfo | undefined;
  const isMine = (sessionId: string): boolean => sessionId === (info?.sessionId ?? id);
  const apply = (change: ServerChange): void => {
    if (change.kind === 'alarm' && change.alarm.sessionId !== undefined && isMine(change.alarm.sessionId))
      return reading.refresh();
    if (change.kind !== 'session.changed' || !isMine(change.session.sessionId)) return;
    const before = info;
    info = change.session;
    if (standingFacts(before) !== standingFacts(info)) reading.refresh();
  };
  const reading = syncedReading({
    hub,
    read: (stopped) =>
      answeredInTime(
        (signal) => Promise.all([reeve.sessions.show(id, signal), reeve.boundaries.show(id, signal)]),
        stopped,
      ),
    take([shown, stands]) {
      info = shown;
      standing = stands;
    },
    apply,
    onChange: () => value.changed(),
  });
  const { refresh } = reading;
  const value = liveValue<BoundaryView>({
    view: () => ({ state: reading.state, boundary: info?.boundary, standing, refresh }),
    run: async (signal) => reading.follow(signal),
  });
  return value;
}

/** When these change, roots may stand otherwise. */
function standingFacts(info: SessionInfo | undefined): string {
  const { boundary, mcpServers, state } = info ?? {};
  return JSON.stringify([
    boundary?.revision,
    mcpServers,
    state === 'dormant' || state === 'closed',
    info?.pendingRequests,
  ]);
}
