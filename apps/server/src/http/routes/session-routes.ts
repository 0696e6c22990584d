import { type EventSeq, parseEventSeq } from '@reeve/protocol';
import type { EventChunk } from '../../events/event-chunk.ts';
import { badInput, noSession } from '../api-problems.ts';
import { type AnyRoute, apiRoute, type Call } from '../api-route.ts';
import { callerOf } from '../caller.ts';
import { eventQuery, type Read, sessionQuery } from '../control-input.ts';
import type { ControlPort } from '../control-port.ts';
import { eventStreamBody, eventStreamHeaders } from '../event-stream.ts';
import { eventPageSchema, sessionPageSchema, sessionSchema } from '../schemas.ts';
import { encodeEventPage, encodeEventStream } from '../wire-event.ts';
import { SESSION_ID, sessionOf } from './session-parameter.ts';

export interface SessionRouteOptions {
  readonly port: ControlPort;
  readonly heartbeatMs: number;
  /** Aborts when the server stops: streams end. */
  readonly stopping: AbortSignal;
  readonly onStreamError: (error: unknown) => void;
}

const ONE_WAY = 'nothing: a stream goes forward, with "after"';
const tag = 'Sessions';
const parameters = { id: SESSION_ID };

/** What exists, what happened in it, and its end. */
export function sessionRoutes(options: SessionRouteOptions): readonly AnyRoute[] {
  const { port } = options;
  return [
    apiRoute({
      method: 'GET',
      path: '/v1/sessions',
      operationId: 'listSessions',
      tag,
      summary: 'List sessions, newest first, or search them',
      description:
        'What was said is made ready for `q` when somebody asks: `incomplete` tells that this is not done yet.',
      query: sessionQuery,
      answers: [{ status: 200, description: 'A page of sessions', schema: sessionPageSchema }],
      errors: ['invalid_params'],
      async handle(call, { query: { limit, cwd, cursor, q } }) {
        const page = await port.listSessions({
          limit,
          ...(cwd === undefined ? {} : { cwd }),
          ...(cursor === undefined ? {} : { cursor }),
          ...(q === undefined ? {} : { q }),
        });
        if (page) return call.json(page);
        return badInput({ kind: 'bad', path: 'cursor', expected: 'the nextCursor of the page before' }, 'query');
      },
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/sessions/{id}',
      operationId: 'showSession',
      tag,
      summary: 'Show a session',
      parameters,
      answers: [{ status: 200, description: 'The session', schema: sessionSchema }],
      errors: ['not_found'],
      async handle(call) {
        const session = await port.session(sessionOf(call));
        return session ? call.json(session) : noSession(call);
      },
    }),
    apiRoute({
      method: 'DELETE',
      path: '/v1/sessions/{id}',
      operationId: 'deleteSession',
      tag,
      summary: 'End a session and remove its log; an unknown one is no error',
      parameters,
      answers: [{ status: 204, description: 'It is gone' }],
      async handle(call) {
        await port.deleteSession(sessionOf(call), callerOf(call));
        return call.body(null, 204);
      },
    }),
    apiRoute({
      method: 'POST',
      path: '/v1/sessions/{id}/close',
      operationId: 'closeSession',
      tag,
      summary: 'End a session and keep its log; closing twice is no error',
      parameters,
      answers: [{ status: 204, description: 'It is closed' }],
      errors: ['not_found'],
      handle: async (call) =>
        (await port.closeSession(sessionOf(call), callerOf(call))) ? call.body(null, 204) : noSession(call),
    }),
    apiRoute({
      method: 'GET',
      path: '/v1/sessions/{id}/events',
      operationId: 'readEvents',
      tag,
      summary: 'Read the log of a session, or follow it',
      description:
        'With `Accept: text/event-stream` the events after the cursor, then live ones; the id of each is its seq, and `Last-Event-ID` resumes after it. With `before` a page goes backwards: in order all the same, and `hasMore` says whether there is something before it. A WebSocket handshake is answered with the stream too: docs/http-api.md.',
      parameters,
      headers: { 'Last-Event-ID': 'The seq of the last event that came; wins over `after`. Only for a stream' },
      query: eventQuery,
      answers: [
        {
          status: 200,
          description: 'Events in order, with the messages as they crossed the wire',
          schema: eventPageSchema,
          streams: { 'text/event-stream': 'One event of the log for each `data`' },
        },
      ],
      errors: ['invalid_params', 'not_found'],
      async handle(call, { query: { after = 0 as EventSeq, before, limit } }) {
        if (wantsStream(call)) {
          if (before !== undefined) return badInput({ kind: 'bad', path: 'before', expected: ONE_WAY }, 'query');
          return follow(options, call, after);
        }
        const id = sessionOf(call);
        const page =
          before === undefined ? await port.events(id, after, limit) : await port.eventsBefore(id, before, limit);
        if (!page) return noSession(call);
        if (page.lastSeq < after) return badInput(beyond('after', page.lastSeq), 'query');
        return call.body(Uint8Array.from(encodeEventPage(page, after)), 200, { 'content-type': 'application/json' });
      },
    }),
  ];
}

/** A cursor that is no cursor of this session: waiting for it would pass over what comes until then. */
function beyond(path: string, lastSeq: EventSeq): Read<never> & { kind: 'bad' } {
  return { kind: 'bad', path, expected: `at most ${lastSeq}, the last seq of this session` };
}

function wantsStream(call: Call): boolean {
  return /(^|[,\s])text\/event-stream\s*($|[,;])/i.test(call.req.header('accept') ?? '');
}

async function follow(options: SessionRouteOptions, call: Call, after: EventSeq): Promise<Response> {
  const { port, heartbeatMs, stopping, onStreamError } = options;
  const id = sessionOf(call);
  const last = call.req.header('last-event-id') ?? '';
  const cursor = last === '' ? after : parseEventSeq(last);
  if (cursor === undefined) {
    return badInput({ kind: 'bad', path: 'Last-Event-ID', expected: 'the id of the last event that came' }, 'header');
  }
  const session = await port.session(id);
  if (!session) return noSession(call);
  if (session.lastSeq < cursor) {
    return last === ''
      ? badInput(beyond('after', session.lastSeq), 'query')
      : badInput(beyond('Last-Event-ID', session.lastSeq), 'header');
  }
  const headers = eventStreamHeaders(heartbeatMs);
  if (call.req.method === 'HEAD') return call.body(null, 200, headers);
  const body = eventStreamBody({
    follow: (signal) => encoded(port.follow(id, cursor, callerOf(call), signal)),
    heartbeatMs,
    signal: AbortSignal.any([call.req.raw.signal, stopping]),
    onError: onStreamError,
  });
  return call.body(body, 200, headers);
}

async function* encoded(chunks: AsyncIterable<EventChunk>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield encodeEventStream(chunk);
}
