import type { RequestInfo, ServerChange, SessionInfo } from '@reeve/protocol';
import { answeredInTime } from '../answered-in-time.ts';
import { CallError } from '../call-error.ts';
import type { Reeve } from '../connect-reeve.ts';
import type { ChangeHub } from './change-hub.ts';
import { liveHistory } from './live-history.ts';
import { type LiveValue, liveValue } from './live-value.ts';
import type { SessionView } from './live-views.ts';
import { syncedReading } from './synced-reading.ts';

/** One session: what it is, its events from the tail on, what waits in it. */
export function liveSession(
  reeve: Pick<Reeve, 'sessions' | 'requests' | 'followEvents'>,
  hub: ChangeHub,
  id: string,
): LiveValue<SessionView> {
  let info: SessionInfo | undefined;
  const pending = new Map<string, RequestInfo>();
  let removed: CallError | undefined;
  const onChange = (): void => value.changed();
  const history = liveHistory(reeve, id, onChange);

  const isMine = (sessionId: string): boolean => sessionId === (info?.sessionId ?? id);
  const apply = (change: ServerChange): void => {
    if (change.kind === 'session.changed' && isMine(change.session.sessionId)) info = change.session;
    else if (change.kind === 'session.removed' && isMine(change.sessionId)) removed = goneError();
    else if (change.kind === 'request.opened' && isMine(change.request.sessionId))
      pending.set(change.request.id, change.request);
    else if (change.kind === 'request.resolved') pending.delete(change.request.id);
  };
  const reading = syncedReading({
    hub,
    read: (stopped) =>
      answeredInTime(
        (signal) => Promise.all([reeve.sessions.show(id, signal), reeve.requests.list({ session: id }, signal)]),
        stopped,
      ),
    take([shown, requests]) {
      info = shown;
      removed = undefined;
      pending.clear();
      for (const request of requests) pending.set(request.id, request);
    },
    apply,
    onChange,
  });

  const actions = {
    loadOlder: history.loadOlder,
    jumpTo: history.jumpTo,
    rawOf: history.rawOf,
    prompt: (turn) => reeve.sessions.beginPrompt(id, turn),
    cancel: () => reeve.sessions.cancel(id),
    async answer(request, answer) {
      const answered = await reeve.requests.answer(request, answer);
      pending.delete(request);
      onChange();
      return answered;
    },
    setMetadata: (patch) => reeve.sessions.setMetadata(id, patch),
    close: () => reeve.sessions.close(id),
    terminate: () => reeve.sessions.terminate(id),
    remove: () => reeve.sessions.remove(id),
  } satisfies Partial<SessionView>;

  const value = liveValue<SessionView>({
    view: () => {
      const { state } = reading;
      return {
        ...actions,
        state: removed ? { kind: 'failed', error: removed } : state.kind === 'live' ? history.state() : state,
        info,
        timeline: history.timeline(),
        requests: [...pending.values()].sort((a, b) => a.createdAt - b.createdAt),
        hasOlder: history.hasOlder(),
        isLoadingOlder: history.isLoadingOlder(),
      };
    },
    async run(signal) {
      reading.follow(signal);
      await history.follow(signal);
    },
    onStopped: () => history.forget(),
  });
  return value;
}

function goneError(): CallError {
  return new CallError({
    code: 'not_found',
    message: 'the session was deleted',
    next: 'Go back to the list of sessions.',
  });
}
