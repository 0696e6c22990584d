import { randomUUID } from 'node:crypto';
import { type EventSeq, parseEventSeq, parseRequestId } from '@reeve/protocol';
import { type Context, Hono } from 'hono';
import { type Read, readAnswer, readEventQuery, readRequestQuery, readSessionQuery } from './control-input.ts';
import type { AnswerOutcome, ControlPort } from './control-port.ts';
import { eventStreamBody } from './event-stream.ts';
import type { AppBindings } from './listener.ts';
import { problem, problemOf, problemResponse } from './problem.ts';
import { readText } from './read-text.ts';
import { encodeEventPage } from './wire-event.ts';

export interface ControlApiOptions {
  readonly port: ControlPort;
  readonly heartbeatMs: number;
  /** Aborts when the server stops: streams end. */
  readonly stopping?: AbortSignal;
  /** What was thrown and not by us; the caller was given the `logId`. */
  readonly onError?: (error: unknown, logId: string) => void;
}

export type ControlApi = Hono<{ Bindings: AppBindings }>;
type Call = Context<{ Bindings: AppBindings }>;

const MAX_ANSWER_BYTES = 1024 * 1024;
/** Who answered, as other clients are told. */
const ANSWERED_BY = 'http-api';

/** The HTTP API under /v1. Callers have been let in before; every error is an RFC 9457 problem that says the next step. */
export function createControlApi(options: ControlApiOptions): ControlApi {
  const { port } = options;
  const app: ControlApi = new Hono();
  const never = new AbortController().signal;

  app.use(async (call, next) => {
    await next();
    call.res.headers.set('x-content-type-options', 'nosniff');
    call.res.headers.set('cache-control', 'no-store');
  });

  app.get('/v1/health', (call) => {
    const health = port.health();
    return call.json(call.env.authenticated ? health : { status: health.status });
  });

  app.get('/v1/agents', async (call) => call.json({ agents: await port.agents() }));

  app.post('/v1/agents/:name/check', async (call) => {
    const name = call.req.param('name');
    const check = await port.checkAgent(name, call.req.raw.signal);
    if (check) return call.json(check);
    return notFound(`there is no agent "${name}"`, 'GET /v1/agents lists those that are configured.');
  });

  app.get('/v1/sessions', async (call) => {
    const query = readSessionQuery(call.req.query());
    if (query.kind === 'bad') return badInput(query, 'query');
    const page = await port.listSessions(query.value);
    if (page) return call.json(page);
    return badInput({ kind: 'bad', path: 'cursor', expected: 'the nextCursor of the page before' }, 'query');
  });

  app.get('/v1/sessions/:id', async (call) => {
    const session = await port.session(call.req.param('id'));
    return session ? call.json(session) : noSession(call);
  });

  app.delete('/v1/sessions/:id', async (call) => {
    await port.deleteSession(call.req.param('id'));
    return call.body(null, 204);
  });

  app.post('/v1/sessions/:id/close', async (call) => {
    return (await port.closeSession(call.req.param('id'))) ? call.body(null, 204) : noSession(call);
  });

  app.get('/v1/sessions/:id/events', async (call) => {
    const query = readEventQuery(call.req.query());
    if (query.kind === 'bad') return badInput(query, 'query');
    const { after, limit } = query.value;
    if (wantsStream(call)) return follow(call, after);
    const page = await port.events(call.req.param('id'), after, limit);
    if (!page) return noSession(call);
    return call.body(Uint8Array.from(encodeEventPage(page, after)), 200, { 'content-type': 'application/json' });
  });

  app.get('/v1/requests', async (call) => {
    const query = readRequestQuery(call.req.query());
    if (query.kind === 'bad') return badInput(query, 'query');
    return call.json({ requests: await port.requests(query.value) });
  });

  app.get('/v1/requests/:id', async (call) => {
    const id = parseRequestId(call.req.param('id'));
    const request = id === undefined ? undefined : await port.request(id);
    return request ? call.json(request) : noRequest(call);
  });

  app.post('/v1/requests/:id/answer', async (call) => {
    const type = call.req.header('content-type') ?? '';
    if (!/^application\/json\s*(;|$)/i.test(type)) return wrongType();
    const body = await readText(call.req.raw, MAX_ANSWER_BYTES);
    if (body.kind !== 'text') return badBody(body.kind);
    const answer = readAnswer(body.text);
    if (answer.kind === 'bad') return badInput(answer, 'body');
    const id = parseRequestId(call.req.param('id'));
    if (id === undefined) return noRequest(call);
    return tellOutcome(call, await port.answer(id, answer.value, ANSWERED_BY));
  });

  for (const [path, allow] of allowedMethods(app)) app.all(path, (call) => wrongMethod(call, allow));

  app.notFound((call) =>
    notFound(`nothing is served at ${call.req.path.slice(0, 200)}`, 'See the documentation of the HTTP API.'),
  );

  app.onError((error) => {
    const logId = randomUUID();
    const told = problemOf(error, logId);
    if (told.name === 'internal_error') options.onError?.(error, logId);
    return problemResponse(told);
  });

  async function follow(call: Call, after: EventSeq): Promise<Response> {
    const id = call.req.param('id') ?? '';
    const last = call.req.header('last-event-id') ?? '';
    const cursor = last === '' ? after : parseEventSeq(last);
    if (cursor === undefined) {
      return badInput({ kind: 'bad', path: 'Last-Event-ID', expected: 'the id of the last event that came' }, 'header');
    }
    if (!(await port.session(id))) return noSession(call);
    const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
    if (call.req.method === 'HEAD') return call.body(null, 200, headers);
    const body = eventStreamBody({
      follow: (signal) => port.follow(id, cursor, signal),
      heartbeatMs: options.heartbeatMs,
      signal: AbortSignal.any([call.req.raw.signal, options.stopping ?? never]),
      onError: (error) => options.onError?.(error, randomUUID()),
    });
    return call.body(body, 200, headers);
  }

  return app;
}

function wantsStream(call: Call): boolean {
  return /(^|[,\s])text\/event-stream\s*($|[,;])/i.test(call.req.header('accept') ?? '');
}

function tellOutcome(call: Call, outcome: AnswerOutcome): Response {
  switch (outcome.kind) {
    case 'answered':
      return call.json({ request: outcome.request });
    case 'unknown':
      return noRequest(call);
    case 'settled': {
      const { state } = outcome.request;
      return problemResponse(problem('already_resolved', { detail: `the request is ${state.kind}`, data: { state } }));
    }
    case 'not-offered': {
      const { detail, offered } = outcome;
      return problemResponse(problem('not_offered', { detail, data: { offered } }));
    }
  }
}

/** Which methods each path of the API has; HEAD goes with GET. */
function allowedMethods(app: ControlApi): Map<string, string> {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method));
  }
  return new Map([...methods].map(([path, known]) => [path, [...known].join(', ')]));
}

function badInput({ path, expected }: Read<never> & { kind: 'bad' }, where: 'query' | 'body' | 'header'): Response {
  const place = path === '' ? `the ${where}` : `"${path}" of the ${where}`;
  const data = { [where]: path, expected };
  const next = `Send ${expected}.`;
  return problemResponse(problem('invalid_params', { detail: `${place}: expected ${expected}`, next, data }));
}

function notFound(detail: string, next: string): Response {
  return problemResponse(problem('not_found', { detail, next }));
}

function noSession(call: Call): Response {
  const id = (call.req.param('id') ?? '').slice(0, 200);
  return notFound(`there is no session "${id}"`, 'GET /v1/sessions lists those that exist.');
}

function noRequest(call: Call): Response {
  const id = (call.req.param('id') ?? '').slice(0, 200);
  return notFound(`there is no request "${id}"`, 'GET /v1/requests lists those that wait for an answer.');
}

function wrongMethod(call: Call, allow: string): Response {
  const detail = `${call.req.method} is not served at this path`;
  return problemResponse(problem('invalid_request', { detail, status: 405, next: `Use ${allow}.` }), { allow });
}

function wrongType(): Response {
  const next = 'Send JSON with "Content-Type: application/json".';
  return problemResponse(
    problem('invalid_request', { detail: 'the body is not announced as JSON', status: 415, next }),
  );
}

function badBody(kind: 'too-large' | 'not-utf8' | 'gone'): Response {
  switch (kind) {
    case 'gone':
      return problemResponse(problem('request_cancelled', { detail: 'the caller went away' }));
    case 'not-utf8':
      return problemResponse(problem('parse_error', { detail: 'the body is not UTF-8' }));
    case 'too-large': {
      const detail = `the body is longer than ${MAX_ANSWER_BYTES} bytes`;
      return problemResponse(problem('message_too_large', { detail, data: { maxBytes: MAX_ANSWER_BYTES } }));
    }
  }
}
