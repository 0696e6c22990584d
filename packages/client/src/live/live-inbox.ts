import type { RequestInfo, ServerChange } from '@reeve/protocol';
import { answeredInTime } from '../answered-in-time.ts';
import type { Reeve } from '../connect-reeve.ts';
import type { ChangeHub } from './change-hub.ts';
import { type LiveValue, liveValue } from './live-value.ts';
import type { InboxView } from './live-views.ts';
import { syncedReading } from './synced-reading.ts';

const MAX_RESOLVED = 100;
/** Of how many requests that were resolved unseen it is asked how. */
const MAX_ASKED = 20;

/** What waits for a person, everywhere or in one session (id). */
export function liveInbox(reeve: Pick<Reeve, 'requests'>, hub: ChangeHub, session?: string): LiveValue<InboxView> {
  const pending = new Map<string, RequestInfo>();
  let resolved: readonly RequestInfo[] = [];

  const apply = (change: ServerChange): void => {
    if (change.kind === 'request.opened' && isMine(change.request)) pending.set(change.request.id, change.request);
    else if (change.kind === 'request.resolved') resolve(change.request);
    else if (change.kind === 'session.removed') {
      for (const { id, sessionId } of [...pending.values()]) if (sessionId === change.sessionId) pending.delete(id);
    }
  };
  const isMine = ({ sessionId }: RequestInfo): boolean => session === undefined || sessionId === session;
  const resolve = (request: RequestInfo): void => {
    if (!isMine(request)) return;
    pending.delete(request.id);
    resolved = [request, ...resolved.filter(({ id }) => id !== request.id)].slice(0, MAX_RESOLVED);
  };

  const reading = syncedReading({
    hub,
    async read(signal) {
      const requests = await answeredInTime(
        (either) => reeve.requests.list(session === undefined ? {} : { session }, either),
        signal,
      );
      const waiting = new Set<string>(requests.map(({ id }) => id));
      const gone = [...pending.keys()].filter((id) => !waiting.has(id)).slice(-MAX_ASKED);
      const settled = await answeredInTime(
        (either) => Promise.all(gone.map((id) => reeve.requests.show(id, either).catch(() => undefined))),
        signal,
      );
      return { requests, settled: settled.filter((request) => request !== undefined) };
    },
    take({ requests, settled }) {
      pending.clear();
      for (const request of requests) pending.set(request.id, request);
      for (const request of settled) resolve(request);
    },
    apply,
    onChange: () => value.changed(),
  });
  const answer: InboxView['answer'] = async (id, given) => {
    try {
      const request = await reeve.requests.answer(id, given);
      resolve(request);
      return request;
    } finally {
      value.changed();
    }
  };
  const value = liveValue<InboxView>({
    view: () => ({
      state: reading.state,
      requests: [...pending.values()].sort((a, b) => a.createdAt - b.createdAt),
      resolved,
      answer,
    }),
    run: async (signal) => reading.follow(signal),
  });
  return value;
}
