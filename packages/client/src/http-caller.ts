import { CLIENT_HEADER, type ClientName, HEARTBEAT_HEADER, parseHeartbeatMs } from '@reeve/protocol';
import { answeredInTime } from './answered-in-time.ts';
import { CallError, errorOfResponse } from './call-error.ts';
import { type Patience, type PatienceLimits, patienceMs, unanswered } from './patience.ts';

export interface HttpCaller {
  /** The parsed JSON of the answer; undefined for an empty one. Rejects with a `CallError`, with `no_answer` when its patience is over. */
  call(method: string, path: string, options?: CallOptions & { readonly patience?: Patience }): Promise<unknown>;
  /** The answer itself, once its status is in 200 to 299, whenever that comes. */
  open(method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Rejects every `call` with `no_answer` that has waited for a while: nobody is at the other end of the line that it was made over. */
  giveUp(): void;
  /** A stream of server-sent events, after the event with the id `last`. */
  stream(
    path: string,
    query: CallOptions['query'],
    last: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OpenStream>;
}

export interface OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  /** How often something comes over it, as the server says. */
  readonly heartbeatMs?: number | undefined;
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface CallerSettings {
  readonly base: URL;
  /** Asked before each call. */
  readonly token: () => string | undefined;
  /** Who calls, as the server tells others. */
  readonly client: ClientName;
  readonly fetch: typeof fetch;
  readonly limits: PatienceLimits;
}

/** What was asked later may have been asked over a new connection, that works. */
const WHILE_MS = 10_000;

/** Speaks HTTP to one server, with its token. */
export function httpCaller({ base, token, client, fetch: send, limits }: CallerSettings): HttpCaller {
  const caller = `${client.name}/${client.version}`;
  const open = async (method: string, path: string, options: CallOptions = {}): Promise<Response> => {
    const url = new URL(path.replace(/^\//, ''), base);
    for (const [name, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = { accept: 'application/json', [CLIENT_HEADER]: caller, ...options.headers };
    const given = token();
    if (given !== undefined) headers.authorization = `Bearer ${given}`;
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    // What it answers is true now: a browser that could keep it would let others who ask for the same wait behind this one.
    const init: RequestInit = { method, headers, cache: 'no-store' };
    if (options.body !== undefined) init.body = JSON.stringify(options.body);
    if (options.signal) init.signal = options.signal;
    let response: Response;
    try {
      response = await send(url, init);
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      throw unreachable(base, cause);
    }
    if (!response.ok) throw errorOfResponse(response.status, await response.text().catch(() => ''));
    return response;
  };
  const waiting = new Set<{ readonly method: string; readonly since: number; readonly stop: AbortController }>();
  return {
    open,
    giveUp() {
      for (const { method, since, stop } of waiting) {
        const ms = Date.now() - since;
        if (ms >= WHILE_MS) stop.abort(unanswered(method, Math.round(ms / 1000) * 1000));
      }
    },
    async stream(path, query, last, signal) {
      const resumed = last === undefined ? {} : { 'last-event-id': last };
      const response = await open('GET', path, {
        query: { ...query },
        headers: { accept: 'text/event-stream', ...resumed },
        signal,
      });
      if (response.body && response.headers.get('content-type')?.startsWith('text/event-stream')) {
        return { body: response.body, heartbeatMs: parseHeartbeatMs(response.headers.get(HEARTBEAT_HEADER) ?? '') };
      }
      await response.body?.cancel();
      throw new CallError({
        code: 'not_reeve',
        message: `${base.origin} sent no event stream`,
        next: 'Check that the address is that of a Reeve server of at least the version of this SDK.',
        status: 406,
      });
    },
    async call(method, path, { patience = 'answer', signal: given, ...options } = {}) {
      const ms = patienceMs(patience, limits);
      const entry = { method, since: Date.now(), stop: new AbortController() };
      const either = given ? AbortSignal.any([given, entry.stop.signal]) : entry.stop.signal;
      const read = async (signal: AbortSignal) => (await open(method, path, { ...options, signal })).text();
      waiting.add(entry);
      const text = await (ms === undefined
        ? read(either)
        : answeredInTime(read, either, ms, () => unanswered(method, ms))
      ).finally(() => waiting.delete(entry));
      if (text === '') return undefined;
      try {
        return JSON.parse(text);
      } catch (cause) {
        throw new CallError({
          code: 'not_reeve',
          message: `${base.origin} answered something that is not JSON`,
          next: 'Check that the address is that of a Reeve server.',
          cause,
        });
      }
    },
  };
}

export function unreachable(base: URL, cause?: unknown): CallError {
  return new CallError({
    code: 'unreachable',
    message: `no server answers at ${base.origin}`,
    next: 'Start one with "reeve serve", or check the address.',
    cause,
  });
}
