import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createStreamableHttp } from '../acp/streamable-http.ts';
import { type ListenerRig, startListenerRig, TOKEN } from './listener.rig.ts';
import { rawExchange } from './raw-exchange.ts';

/*
 * Requests that no honest client sends, to a real listener: each gets a refusal or a closed socket, and the server lives.
 */

const HOST = 'Host: 127.0.0.1\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const INITIALIZE = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
const MAX_BODY_BYTES = 256 * 1024;

let rig: ListenerRig;
let received = 0;
const onAcpError = vi.fn();
/** The HTTP adapter prints what it does not expect. */
const prints = [vi.spyOn(console, 'error'), vi.spyOn(console, 'info')];
const acp = createStreamableHttp({
  accept: (transport) => ({
    id: crypto.randomUUID(),
    receive(text) {
      received += 1;
      const { id } = JSON.parse(text) as { id: unknown };
      transport.send(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: {} })));
    },
    resumeStream: () => undefined,
    vanish: () => undefined,
  }),
  limits: { maxBodyBytes: MAX_BODY_BYTES, connectionQueueBytes: 1024 * 1024, maxSessionStreams: 16 },
  timeouts: { heartbeatMs: 1000, connectionIdleMs: 1000, bodyMs: 10_000 },
  onError: onAcpError,
});

beforeAll(async () => {
  rig = await startListenerRig({ acp });
});
afterAll(async () => {
  acp.closeAll('the test is over');
  await rig[Symbol.asyncDispose]();
});
afterEach(async () => {
  const health = await fetch(`${rig.listener.url}/v1/health`);
  expect(await health.json()).toEqual({ status: 'ok' });
  expect(rig.onError).not.toHaveBeenCalled();
  expect(onAcpError).not.toHaveBeenCalled();
  for (const print of prints) expect(print).not.toHaveBeenCalled();
});

function posted(path: string, body: string | Buffer, more = ''): (string | Buffer)[] {
  const length = Buffer.byteLength(body);
  return [`POST ${path} HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Content-Length: ${length}\r\n${more}\r\n`, body];
}

function chunked(path: string, body: string): string[] {
  return [`POST ${path} HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n${body}`];
}

function got(target: string, more = AUTH): string[] {
  return [`GET ${target} HTTP/1.1\r\n${HOST}${more}\r\n`];
}

/** The statuses of all responses in what came back. */
function statuses(text: string): number[] {
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map((match) => Number(match[1]));
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const ANSWER = '/v1/requests/r1/answer';

const CORPUS: readonly (readonly [string, readonly (string | Buffer)[]])[] = [
  ['nothing but line breaks', ['\r\n\r\n\r\n']],
  ['no HTTP', ['hello\r\n\r\n']],
  ['a TLS hello', [Buffer.from('16030100c8010000c40303', 'hex'), Buffer.alloc(200)]],
  ['an HTTP/2 preface', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ['an SSH banner', ['SSH-2.0-x\r\n']],
  ['NUL bytes', [Buffer.alloc(1000)]],
  ['another version', [`GET / HTTP/9.9\r\n${HOST}${AUTH}\r\n`]],
  ['HTTP/0.9', ['GET /\r\n\r\n']],
  ['no Host', [`GET /v1/health HTTP/1.1\r\n${AUTH}\r\n`]],
  ['two Hosts', [`GET /v1/sessions HTTP/1.1\r\nHost: evil.example\r\n${HOST}${AUTH}\r\n`]],
  ['a Host of others', [`GET /v1/health HTTP/1.1\r\nHost: evil.example\r\n${AUTH}\r\n`]],
  ['an unknown method', [`BREW /acp HTTP/1.1\r\n${HOST}${AUTH}\r\n`]],
  ['TRACE', [`TRACE /v1/sessions HTTP/1.1\r\n${HOST}${AUTH}\r\n`]],
  ['CONNECT', [`CONNECT evil.example:443 HTTP/1.1\r\n${HOST}${AUTH}\r\n`]],
  ['PUT on ACP', [`PUT /acp HTTP/1.1\r\n${HOST}${AUTH}Content-Length: 0\r\n\r\n`]],
  ['PATCH on a session', [`PATCH /v1/sessions/s1 HTTP/1.1\r\n${HOST}${AUTH}Content-Length: 2\r\n\r\n{}`]],
  ['OPTIONS *', [`OPTIONS * HTTP/1.1\r\n${HOST}${AUTH}\r\n`]],
  ['an absolute target', got('http://evil.example/v1/sessions')],
  ['a target with two slashes', got('//evil.example/v1/health', '')],
  ['a path that climbs', got('/v1/../../../../etc/passwd')],
  ['an encoded path that climbs', got('/%2e%2e/%2e%2e/etc/passwd')],
  ['a climb inside a session id', got('/v1/sessions/..%2f..%2fetc%2fpasswd/events')],
  ['a climb to an open path', got('/v1/sessions/../health', '')],
  ['a NUL in the path', got('/v1/sessions/a%00b')],
  ['broken percent signs', got('/v1/sessions/%zz%E0%A4%A')],
  ['overlong UTF-8 in the path', got('/v1/sessions/%c0%ae%c0%ae')],
  ['a huge path', got(`/${'a'.repeat(100_000)}`)],
  ['a huge query', got(`/v1/sessions?cwd=/${'a'.repeat(100_000)}`)],
  ['a query just below the limit', got(`/v1/sessions?limit=${'9'.repeat(20_000)}`)],
  ['a thousand parameters', got(`/v1/sessions?${'limit=0&'.repeat(1000)}`)],
  ['a prototype in the query', got('/v1/sessions?__proto__[x]=1&constructor=1&limit=0')],
  ['a huge header', got('/v1/sessions', `${AUTH}X: ${'x'.repeat(100_000)}\r\n`)],
  ['very many headers', got('/v1/sessions', AUTH + 'X: y\r\n'.repeat(20_000))],
  ['a line break in a header', got('/acp', `${AUTH}Acp-Session-Id: a\r\n\tb\r\nAccept: text/event-stream\r\n`)],
  [
    'a bare carriage return in a header',
    got('/acp', `${AUTH}Acp-Connection-Id: a\rX-Evil: 1\r\nAccept: text/event-stream\r\n`),
  ],
  ['an injected header in an origin', got('/acp', `${AUTH}Origin: https://console.example.org%0d%0aX-Evil: 1\r\n`)],
  ['a space before the colon', got('/v1/sessions', `${AUTH}X : y\r\n`)],
  [
    'bad UTF-8 in a header',
    [`GET /acp HTTP/1.1\r\n${HOST}${AUTH}Acp-Connection-Id: `, Buffer.from([0xff, 0xfe]), '\r\n\r\n'],
  ],
  ['a huge token', got('/v1/sessions', `Authorization: Bearer ${'x'.repeat(20_000)}\r\n`)],
  ['no token in the header', got('/v1/sessions', 'Authorization: Bearer\r\n')],
  ['two lengths', [`POST /acp HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`]],
  [
    'a length and chunks',
    [
      `POST /acp HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ],
  ['a negative length', [`POST /acp HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Content-Length: -1\r\n\r\n`]],
  [
    'a length beyond all numbers',
    [`POST /acp HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Content-Length: ${'9'.repeat(40)}\r\n\r\n`],
  ],
  [
    'an unknown transfer coding',
    [`POST /acp HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ],
  ['chunks without sizes', chunked('/acp', 'zz\r\n{}\r\n0\r\n\r\n')],
  ['a chunk longer than its size', chunked('/acp', '1\r\n{}\r\n0\r\n\r\n')],
  ['a chunk size beyond all numbers', chunked('/acp', `${'f'.repeat(40)}\r\n`)],
  ['endless chunk extensions', chunked('/acp', `1;${'x'.repeat(100_000)}\r\n`)],
  ['chunks that break off', chunked('/acp', 'ff\r\n{}')],
  ['a body that breaks off', [`POST /acp HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}Content-Length: 100\r\n\r\n{}`]],
  ['headers that break off', [`POST /acp HTTP/1.1\r\n${HOST}`]],
  ['a body beyond the limit', posted('/acp', ' '.repeat(MAX_BODY_BYTES + 1))],
  [
    'a chunked body beyond the limit',
    chunked('/acp', `${(MAX_BODY_BYTES + 1).toString(16)}\r\n${' '.repeat(MAX_BODY_BYTES + 1)}\r\n0\r\n\r\n`),
  ],
  ['an answer beyond the limit', posted(ANSWER, `{"result":"${'x'.repeat(1024 * 1024)}"}`)],
  ['no JSON', posted('/acp', '{"jsonrpc":')],
  ['no JSON as an answer', posted(ANSWER, '{"reply":')],
  ['an empty body', posted('/acp', '')],
  ['bad UTF-8', posted('/acp', Buffer.from([0x7b, 0xff, 0x7d]))],
  ['UTF-16', posted('/acp', Buffer.from(INITIALIZE, 'utf16le'))],
  ['a lone surrogate as bytes', posted('/acp', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))],
  ['deep nesting', posted('/acp', deep(100_000))],
  ['deep nesting of objects', posted('/acp', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`)],
  ['a deep answer', posted(ANSWER, `{"result":${deep(400_000)}}`)],
  ['a wide answer', posted(ANSWER, `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join(',')}}`)],
  ['a prototype as an answer', posted(ANSWER, '{"__proto__":{"reply":"once"}}')],
  ['a batch', posted('/acp', `[${INITIALIZE}]`)],
  ['a number', posted('/acp', '1e999')],
  ['initialize with an object for an id', posted('/acp', '{"jsonrpc":"2.0","id":{},"method":"initialize"}')],
  ['a compressed body', posted('/acp', Buffer.from([0x1f, 0x8b, 8, 0]), 'Content-Encoding: gzip\r\n')],
  ['an answer without a body', [`POST ${ANSWER} HTTP/1.1\r\n${HOST}${AUTH}${JSON_TYPE}\r\n`]],
  ['a chunked answer that is none', chunked(ANSWER, '2\r\n{}\r\n0\r\n\r\n')],
  ['an answer in bad UTF-8', posted(ANSWER, Buffer.from([0x22, 0xff, 0x22]))],
  [
    'a form',
    [
      `POST /acp HTTP/1.1\r\n${HOST}${AUTH}Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 3\r\n\r\n--x`,
    ],
  ],
  ['a connection that is not there', posted('/acp', '{}', 'Acp-Connection-Id: ../../etc\r\n')],
  [
    'a resumption from nowhere',
    got('/v1/sessions/s1/events', `${AUTH}Accept: text/event-stream\r\nLast-Event-ID: -1\r\n`),
  ],
  [
    'a resumption beyond all numbers',
    got('/v1/sessions/s1/events', `${AUTH}Accept: text/event-stream\r\nLast-Event-ID: 99999999999999999999\r\n`),
  ],
  ['an expectation that nobody meets', posted('/acp', '{}', 'Expect: 200-maybe\r\n')],
  ['an upgrade without a key', got('/v1/x', `${AUTH}Connection: Upgrade\r\nUpgrade: websocket\r\n`)],
  ['garbage behind a refused request', [`GET /v1/nothing HTTP/1.1\r\n${HOST}${AUTH}\r\n\x00\x01\x02garbage\r\n\r\n`]],
  ['a hundred refused requests at once', [got('/v1/nothing').join('').repeat(100)]],
  ['a request smuggled in a body', posted('/acp', `0\r\n\r\nGET /v1/sessions HTTP/1.1\r\n${HOST}${AUTH}\r\n`)],
];

describe('hostile requests', () => {
  it.each(CORPUS)('%s: refused or cut off', async (_name, parts) => {
    const before = received;
    const { text, closed } = await rawExchange(rig.listener.port, parts, { halfClose: true });
    const told = statuses(text);
    if (told.length === 0) expect(closed).toBe(true);
    for (const status of told) expect(status === 501 || status === 505 || (status >= 400 && status < 500)).toBe(true);
    expect(text).not.toMatch(/^X-Evil/im);
    expect(received).toBe(before);
  });

  it('answers a good request before it cuts off what comes behind it', async () => {
    const parts = [`GET /v1/sessions HTTP/1.1\r\n${HOST}${AUTH}\r\nnonsense \x00\r\n\r\n`];
    const { text, closed } = await rawExchange(rig.listener.port, parts, { quietMs: 1_000 });
    expect(closed).toBe(true);
    expect(statuses(text)).toEqual([200]);
  });

  it('tells a client whose chunks are broken, and closes', async () => {
    const { text, closed } = await rawExchange(rig.listener.port, chunked('/acp', 'zz\r\n{}\r\n0\r\n\r\n'));
    expect(closed).toBe(true);
    expect(statuses(text)).toEqual([400]);
  });

  it('writes no refusal into the middle of a stream', async () => {
    const parts = got('/v1/sessions/s1/events', `${AUTH}Accept: text/event-stream\r\n`);
    const { text } = await rawExchange(rig.listener.port, [...parts, '\x00nonsense\r\n\r\n']);
    expect(statuses(text).filter((status) => status !== 200)).toEqual([]);
    expect(text).not.toContain('cannot be read as HTTP');
  });

  it('lets a slow body wait without holding others', async () => {
    const slow = rawExchange(rig.listener.port, posted('/acp', 'x').slice(0, 1), { timeoutMs: 300 });
    expect((await fetch(`${rig.listener.url}/v1/health`)).status).toBe(200);
    expect(statuses((await slow).text)).toEqual([]);
  });

  it('survives requests that were damaged at random', async () => {
    const whole = fc.constantFrom(
      posted('/acp', INITIALIZE),
      posted(ANSWER, '{"reply":"once"}'),
      chunked('/acp', `${INITIALIZE.length.toString(16)}\r\n${INITIALIZE}\r\n0\r\n\r\n`),
      got('/v1/sessions/s1/events?after=0&limit=10'),
      got('/v1/sessions?limit=10&cursor=next'),
    );
    const damage = fc.record({
      at: fc.nat(),
      drop: fc.nat({ max: 4 }),
      put: fc.uint8Array({ maxLength: 6 }),
    });
    const request = fc.tuple(whole, fc.array(damage, { minLength: 1, maxLength: 6 })).map(([parts, damages]) => {
      let bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
      for (const { at, drop, put } of damages) {
        const place = at % (bytes.length + 1);
        bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + drop)]);
      }
      return bytes;
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 20, maxLength: 20 }), async (requests) => {
        const answers = await Promise.all(
          requests.map((bytes) =>
            rawExchange(rig.listener.port, [bytes], { halfClose: true, quietMs: 20, timeoutMs: 3_000 }),
          ),
        );
        for (const { text, closed } of answers) {
          expect(closed || text !== '').toBe(true);
          expect(statuses(text)).not.toContain(500);
        }
      }),
      { numRuns: 15 },
    );
  });
});
