import type { ChangeFeed, ToldChange } from '../../events/change-feed.ts';
import { type AnyRoute, apiRoute } from '../api-route.ts';
import { eventStreamBody, eventStreamHeaders } from '../event-stream.ts';

export interface ChangeRouteOptions {
  readonly changes: ChangeFeed;
  readonly heartbeatMs: number;
  /** Aborts when the server stops: streams end. */
  readonly stopping: AbortSignal;
  readonly onStreamError: (error: unknown) => void;
}

/** What changes on the whole server, for lists that stay true. */
export function changeRoutes({
  changes,
  heartbeatMs,
  stopping,
  onStreamError,
}: ChangeRouteOptions): readonly AnyRoute[] {
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/events',
      operationId: 'followServer',
      tag: 'Server',
      summary: 'Follow what changes: sessions, what waits for a person, boundaries, alarms',
      description:
        'Each `data` is `{kind, …}`: `session.changed {session}`, `session.removed {sessionId}`, `request.opened {request}`, `request.resolved {request}`, `boundary.changed {sessionId, revision}`, `alarm {alarm}`. The first event, and the next one for a reader that was too slow or away for too long, is `resync`: what changed before is not told, read it again. A WebSocket handshake is answered too: docs/http-api.md.',
      headers: { 'Last-Event-ID': 'The id of the last event that came: goes on after it where that is still known' },
      answers: [
        {
          status: 200,
          description: 'Changes as they happen, until the reader leaves',
          streams: { 'text/event-stream': 'One change for each `data`' },
        },
      ],
      handle(call) {
        const headers = eventStreamHeaders(heartbeatMs);
        if (call.req.method === 'HEAD') return call.body(null, 200, headers);
        const body = eventStreamBody({
          follow: (signal) => encoded(changes.follow(call.req.header('last-event-id'), signal)),
          heartbeatMs,
          signal: AbortSignal.any([call.req.raw.signal, stopping]),
          onError: onStreamError,
        });
        return call.body(body, 200, headers);
      },
    }),
  ];
}

async function* encoded(changes: AsyncIterable<ToldChange>): AsyncGenerator<Uint8Array> {
  for await (const { id, kind, data } of changes) yield Buffer.from(`id: ${id}\nevent: ${kind}\ndata: ${data}\n\n`);
}
