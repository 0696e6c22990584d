import type { ConnectionId, EventSeq } from '@reeve/protocol';
import { describe, expect, it, vi } from 'vitest';
import { chunkOf } from '../events/event-chunk.ts';
import { createControlApi } from './control-api.ts';
import { FAKE_REQUEST, FAKE_SESSION, FakeControlPort } from './fake-control-port.ts';

function rig() {
  const port = new FakeControlPort();
  const stopping = new AbortController();
  const onError = vi.fn();
  const api = createControlApi({
    port,
    version: '1.2.3',
    maxBodyBytes: 1024 * 1024,
    heartbeatMs: 20,
    stopping: stopping.signal,
    onError,
  });
  const call = async (path: string, init: RequestInit = {}, authenticated = true): Promise<Response> =>
    api.request(path, init, { authenticated });
  return { port, stopping, onError, call };
}

function answer(body: unknown, type = 'application/json'): RequestInit {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method: 'POST', body: text, headers: { 'content-type': type } };
}

describe('the control API', () => {
  it('tells its health, and to strangers only that it lives', async () => {
    const { call } = rig();
    expect(await (await call('/v1/health')).json()).toEqual({ status: 'ok', version: '1.2.3', pid: 7, uptimeMs: 99 });
    expect(await (await call('/v1/health', {}, false)).json()).toEqual({ status: 'ok' });
  });

  it('refuses a stranger itself, whatever path the gate let through', async () => {
    const { call } = rig();
    for (const path of ['/v1/sessions', '/%761/sessions', '/v1/sessions/s1/events', '/v1/nothing']) {
      const response = await call(path, {}, false);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ next: expect.stringContaining('Bearer') });
    }
  });

  it('tells what boundaries are held with', async () => {
    const { call } = rig();
    expect(await (await call('/v1/sandbox')).json()).toMatchObject({
      backend: 'bubblewrap',
      backends: [{ usable: true }],
      limits: { memoryBytes: 'watchdog' },
    });
  });

  it('lists and checks agents', async () => {
    const { call } = rig();
    expect(await (await call('/v1/agents')).json()).toMatchObject({ agents: [{ name: 'fake', available: true }] });
    expect(await (await call('/v1/agents/fake/check', { method: 'POST' })).json()).toMatchObject({ ok: true });
    expect((await call('/v1/agents/no/check', { method: 'POST' })).status).toBe(404);
  });

  it('shows sessions, by id and by alias', async () => {
    const { port, call } = rig();
    expect(await (await call('/v1/sessions?limit=1&cwd=/home/me')).json()).toEqual({
      sessions: [FAKE_SESSION],
      nextCursor: 'next',
    });
    expect(await (await call('/v1/sessions/one')).json()).toEqual(FAKE_SESSION);
    expect((await call('/v1/sessions/s1/close', { method: 'POST' })).status).toBe(204);
    expect((await call('/v1/sessions/s1', { method: 'DELETE' })).status).toBe(204);
    expect(port.ended).toEqual(['closed by http-api', 'deleted by http-api']);
    expect((await call('/v1/sessions/unknown', { method: 'DELETE' })).status).toBe(204);
  });

  it('creates a session, and says where it is', async () => {
    const { port, call } = rig();
    const wanted = { cwd: '/home/me', agent: 'fake', metadata: { title: 'A title' } };
    const response = await call('/v1/sessions', answer(wanted));
    expect([response.status, response.headers.get('location')]).toEqual([201, '/v1/sessions/s1']);
    expect(await response.json()).toMatchObject({ session: FAKE_SESSION, result: { sessionId: 's1' } });
    expect(port.created).toEqual([wanted]);
  });

  it('answers a prompt at the end of its turn, or at once when told not to wait', async () => {
    const { port, call } = rig();
    const waiting = call('/v1/sessions/s1/prompt', answer({ prompt: 'hello', idempotencyKey: 'k' }));
    const outcome = { sessionId: 's1' as never, after: 3 as EventSeq, lastSeq: 5 as EventSeq, text: 'Hi', result: {} };
    expect((await call('/v1/sessions/s1/prompt', answer({ prompt: 'hello', wait: false }))).status).toBe(202);
    expect(port.left).toBe(1);
    port.turnEnd.resolve(outcome);
    expect(await (await waiting).json()).toEqual(outcome);
    expect(port.prompted).toEqual([{ prompt: 'hello', idempotencyKey: 'k' }, { prompt: 'hello' }]);
    expect((await call('/v1/sessions/s1/cancel', { method: 'POST' })).status).toBe(204);
    expect(port.cancelled).toBe(1);
  });

  it('terminates a session and changes what is kept of it', async () => {
    const { port, call } = rig();
    expect((await call('/v1/sessions/s1/terminate', { method: 'POST' })).status).toBe(204);
    expect(port.ended).toEqual(['terminated by http-api']);
    const changed = await call('/v1/sessions/s1/metadata', { ...answer({ note: null }), method: 'PATCH' });
    expect(await changed.json()).toEqual({ metadata: { title: 'Before', note: null } });
  });

  it('lets a turn go on when its caller leaves', async () => {
    const { port, call } = rig();
    const caller = new AbortController();
    const waiting = call('/v1/sessions/s1/prompt', { ...answer({ prompt: 'hello' }), signal: caller.signal });
    await expect.poll(() => port.prompted).toHaveLength(1);
    caller.abort();
    await expect.poll(() => port.left).toBe(1);
    port.turnEnd.reject(new Error('left'));
    expect((await waiting).status).toBe(499);
  });

  it('shows events with their messages as they were sent', async () => {
    const { call } = rig();
    const response = await call('/v1/sessions/s1/events?after=1&limit=1');
    expect(response.headers.get('content-type')).toBe('application/json');
    const text = await response.text();
    expect(text).toBe(
      '{"events":[{"seq":2,"at":11.5,"source":"agent","kind":"update","message":{   "n": 2.000000000000000000001,  "ü":"\\n" }}],"nextAfter":2,"hasMore":true}',
    );
    expect(await (await call('/v1/sessions/s1/events?after=3')).json()).toEqual({
      events: [],
      nextAfter: 3,
      hasMore: false,
    });
    expect(await (await call('/v1/sessions/s1/events')).json()).toMatchObject({
      events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }],
    });
  });

  it('pages events backwards, in order all the same', async () => {
    const { call } = rig();
    const page = async (query: string) => {
      const { events, hasMore } = (await (await call(`/v1/sessions/s1/events?${query}`)).json()) as {
        events: { seq: number }[];
        hasMore: boolean;
      };
      return { seqs: events.map(({ seq }) => seq), hasMore };
    };
    expect(await page('before=9007199254740991&limit=2')).toEqual({ seqs: [2, 3], hasMore: true });
    expect(await page('before=2&limit=2')).toEqual({ seqs: [1], hasMore: false });
    expect(await page('before=1')).toEqual({ seqs: [], hasMore: false });
    expect((await call('/v1/sessions/no/events?before=1')).status).toBe(404);
    for (const wrong of ['before=x', 'before=2&after=1']) {
      expect((await call(`/v1/sessions/s1/events?${wrong}`)).status).toBe(400);
    }
    const stream = await call('/v1/sessions/s1/events?before=2', { headers: { accept: 'text/event-stream' } });
    expect(stream.status).toBe(400);
  });

  it('streams events from a cursor on, follows, and ends with its reader', async () => {
    const { call, port } = rig();
    const headers = { accept: 'text/event-stream', 'last-event-id': '2' };
    const response = await call('/v1/sessions/s1/events?after=1', { headers });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('reeve-heartbeat')).toBe('20');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const until = async (part: string): Promise<void> => {
      while (!text.includes(part)) text += Buffer.from((await reader.read()).value ?? []).toString();
    };
    await until('{"type":"x"}');
    expect(text).toMatch(/id: 3\nevent: note\ndata: \{"seq":3,.*"message":\{"type":"x"\}\}\n\n/);
    expect(text).not.toContain('id: 2');
    const connection = 'c1' as ConnectionId;
    const message = Buffer.from('{}');
    port.grow(chunkOf(4 as EventSeq, [{ at: 1, source: 'client', kind: 'prompt', connection, message }]));
    await until('id: 4');
    expect(text).toContain('"kind":"prompt","connection":"c1","message":{}');
    text = '';
    await until(':\n\n');
    expect(port.followed).toHaveLength(1);
    await reader.cancel();
    expect(port.followed[0]?.signal.aborted).toBe(true);
  });

  it('reads no further than its reader', async () => {
    const { call, port } = rig();
    const response = await call('/v1/sessions/s1/events?after=3', { headers: { accept: 'text/event-stream' } });
    for (let seq = 4; seq < 50; seq += 1) {
      port.live.push(
        chunkOf(seq as EventSeq, [{ at: 1, source: 'agent', kind: 'update', message: Buffer.from('{}') }]),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(port.live.length).toBeGreaterThan(40);
    await response.body?.cancel();
  });

  it('ends its streams when the server stops', async () => {
    const { call, stopping } = rig();
    const response = await call('/v1/sessions/s1/events', { headers: { accept: 'text/event-stream' } });
    setTimeout(() => stopping.abort(), 10);
    expect(await response.text()).toContain('id: 3');
  });

  it('lists requests and takes answers', async () => {
    const { call, port } = rig();
    expect(await (await call('/v1/requests?session=s1&state=all')).json()).toEqual({ requests: [FAKE_REQUEST] });
    expect(await (await call('/v1/requests/r1')).json()).toEqual(FAKE_REQUEST);
    const bodies = [
      { reply: 'once' },
      { optionId: 'a' },
      { answers: [] },
      { answers: [{ optionId: 'a' }, { text: '' }] },
      { content: { size: 3, nested: [null] } },
      { reject: true },
      { reject: 'not now' },
      { result: { outcome: 'x' } },
      { result: null },
    ];
    for (const body of bodies) {
      const response = await call('/v1/requests/r1/answer', answer(body));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ request: FAKE_REQUEST });
    }
    expect(port.answers.map((given) => given.answer)).toEqual(bodies);
    expect(port.answers[0]).toMatchObject({ id: 'r1', by: 'http-api' });
  });

  it('tells others who it is that answers, as the caller names itself', async () => {
    const { call, port } = rig();
    const body = answer({ optionId: 'a' });
    const named = (client: string): RequestInit => ({ ...body, headers: { ...body.headers, 'reeve-client': client } });
    expect((await call('/v1/requests/r1/answer', named('reeve-console/0.1.0'))).status).toBe(200);
    expect(
      (await call('/v1/sessions/s1/close', { method: 'POST', headers: { 'reeve-client': 'ci/7+b1' } })).status,
    ).toBe(204);
    expect([port.answers[0]?.by, port.ended]).toEqual(['reeve-console 0.1.0', ['closed by ci 7+b1']]);
  });

  it.each(['reeve', 'a b/1', `${'n'.repeat(65)}/1`, '<b>/1'])(
    'does nothing for a caller with a name like %j',
    async (name) => {
      const { call, port } = rig();
      const headers = { 'content-type': 'application/json', 'reeve-client': name };
      const refused = await call('/v1/requests/r1/answer', { method: 'POST', body: '{"optionId":"a"}', headers });
      expect(refused.status).toBe(400);
      const problem = (await refused.json()) as { next: string; data: object };
      expect(problem.next).toContain('NAME/VERSION');
      expect(problem.data).toMatchObject({ header: 'Reeve-Client' });
      expect(port.answers).toEqual([]);
    },
  );

  it('forks a session as it is asked to, or as it is', async () => {
    const { call, port } = rig();
    const made = await call('/v1/sessions/one/fork', { method: 'POST', headers: { 'reeve-client': 'ci/1' } });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/v1/sessions/s1']);
    expect(await made.json()).toEqual({ session: FAKE_SESSION, result: { sessionId: 's1' } });
    const wanted = { cwd: '/tmp', additionalDirectories: [], mcpServers: [], metadata: { title: 'x' } };
    expect((await call('/v1/sessions/s1/fork', answer(wanted))).status).toBe(201);
    expect(port.forked).toEqual([
      { id: 'one', wanted: {}, by: 'ci 1' },
      { id: 's1', wanted, by: 'http-api' },
    ]);
    expect((await call('/v1/sessions/none/fork', { method: 'POST' })).status).toBe(404);
    for (const bad of [[], { cwd: 'here' }, { agent: 'other' }, { metadata: 3 }]) {
      expect((await call('/v1/sessions/s1/fork', answer(bad))).status).toBe(400);
    }
    expect(port.forked).toHaveLength(2);
  });

  it('says why an answer does not count', async () => {
    const { call, port } = rig();
    port.outcome = { kind: 'not-offered', detail: 'there is no option "z"', offered: ['a', 'b'] };
    const notOffered = await call('/v1/requests/r1/answer', answer({ optionId: 'z' }));
    expect(notOffered.status).toBe(422);
    expect(await notOffered.json()).toMatchObject({ name: 'not_offered', data: { offered: ['a', 'b'] } });
    const state = { kind: 'answered', at: 7, by: 'cli', result: {} } as const;
    port.outcome = { kind: 'settled', request: { ...FAKE_REQUEST, state } };
    const settled = await call('/v1/requests/r1/answer', answer({ optionId: 'a' }));
    expect(settled.status).toBe(409);
    expect(await settled.json()).toMatchObject({ data: { state } });
    port.outcome = { kind: 'unknown' };
    expect((await call('/v1/requests/r2/answer', answer({ optionId: 'a' }))).status).toBe(404);
  });

  it.each<[string, number, RequestInit?]>([
    ['/v1/nothing', 404],
    ['/', 404],
    ['/v1/sessions/no', 404],
    ['/v1/sessions/no/events', 404],
    ['/v1/sessions/no/close', 404, { method: 'POST' }],
    ['/v1/requests/no', 404],
    [`/v1/requests/${'x'.repeat(600)}`, 404],
    ['/v1/sessions/%E0%A4%A', 404],
    ['/v1/sessions?limit=0', 400],
    ['/v1/sessions?limit=1001', 400],
    ['/v1/sessions?limit=1e2', 400],
    ['/v1/sessions?limit=', 400],
    ['/v1/sessions?cwd=relative', 400],
    ['/v1/sessions?cursor=forged', 400],
    ['/v1/sessions/s1/events?after=-1', 400],
    ['/v1/sessions/s1/events?after=1.5', 400],
    ['/v1/sessions/s1/events?after=4', 400],
    ['/v1/sessions/s1/events?after=4', 400, { headers: { accept: 'text/event-stream' } }],
    ['/v1/sessions/s1/events', 400, { headers: { accept: 'text/event-stream', 'last-event-id': '4' } }],
    ['/v1/sessions/s1/events', 400, { headers: { accept: 'text/event-stream', 'last-event-id': 'x' } }],
    ['/v1/sessions/no/events', 404, { headers: { accept: 'text/event-stream' } }],
    ['/v1/requests?state=some', 400],
    ['/v1/requests/r1/answer', 400, answer('{"reply":')],
    ['/v1/requests/r1/answer', 400, answer({ reply: 'perhaps' })],
    ['/v1/requests/r1/answer', 400, answer({ reply: 'once', optionId: 'a' })],
    ['/v1/requests/r1/answer', 400, answer({})],
    ['/v1/requests/r1/answer', 400, answer({ answers: [{ optionId: 'a', text: 'b' }] })],
    ['/v1/requests/r1/answer', 400, answer({ answers: {} })],
    ['/v1/requests/r1/answer', 400, answer({ content: [] })],
    ['/v1/requests/r1/answer', 400, answer({ reject: false })],
    ['/v1/requests/r1/answer', 400, answer([])],
    ['/v1/requests/r1/answer', 400, answer('')],
    ['/v1/requests/r1/answer', 415, answer({ reply: 'once' }, 'text/plain')],
    ['/v1/requests/r1/answer', 413, answer({ result: 'x'.repeat(1024 * 1024) })],
    ['/v1/sessions', 405, { method: 'PUT' }],
    ['/v1/agents/no', 404],
    ['/v1/sessions', 415, { method: 'POST' }],
    ['/v1/sessions', 400, answer({ cwd: 'relative' })],
    ['/v1/sessions', 400, answer({ cwd: '/', unknown: 1 })],
    ['/v1/sessions', 400, answer({})],
    ['/v1/sessions', 400, answer({ cwd: '/', metadata: [] })],
    ['/v1/sessions/s1/prompt', 400, answer({})],
    ['/v1/sessions/s1/prompt', 400, answer({ prompt: [] })],
    ['/v1/sessions/s1/prompt', 400, answer({ prompt: [{}] })],
    ['/v1/sessions/s1/prompt', 400, answer({ prompt: 'x', idempotencyKey: 1 })],
    ['/v1/sessions/s1/prompt', 400, answer({ prompt: '' })],
    ['/v1/sessions/s1/prompt', 400, answer({ prompt: 'x', attachments: [{ filename: 'a' }] })],
    ['/v1/sessions/s1/prompt', 400, answer({ prompt: 'x', attachments: [{ data: 'not base64!' }] })],
    ['/v1/sessions/no/prompt', 404, answer({ prompt: 'x' })],
    ['/v1/sessions/no/cancel', 404, { method: 'POST' }],
    ['/v1/sessions/no/terminate', 404, { method: 'POST' }],
    ['/v1/sessions/no/metadata', 404, { ...answer({}), method: 'PATCH' }],
    ['/v1/sessions/s1/metadata', 400, { ...answer([]), method: 'PATCH' }],
    ['/v1/requests/r1/answer', 405],
    ['/v1/health', 405, { method: 'PATCH' }],
  ])('refuses %s with %i, and says the next step', async (path, status, init) => {
    const { call } = rig();
    const response = await call(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const problem = await response.text();
    expect(JSON.parse(problem)).toMatchObject({
      status,
      detail: expect.any(String),
      next: expect.stringMatching(/\S/),
    });
    // In our words, not in those of the library that checks.
    expect(problem).not.toMatch(/Invalid input|Too small|JSON-RPC/);
  });

  it('names the methods of a path', async () => {
    const { call } = rig();
    expect((await call('/v1/sessions/s1', { method: 'PUT' })).headers.get('allow')).toBe('GET, DELETE');
  });

  it('keeps what went wrong inside to the log, and tells what is an answer of ours', async () => {
    const { call, onError } = rig();
    const broken = await call('/v1/agents/broken/check', { method: 'POST' });
    expect(broken.status).toBe(500);
    const told = await broken.text();
    expect(told).not.toContain('secret');
    expect(onError).toHaveBeenCalledWith(expect.any(Error), JSON.parse(told).data.logId);
    const ours = await call('/v1/agents/ours/check', { method: 'POST' });
    expect(ours.status).toBe(502);
    expect(await ours.json()).toMatchObject({
      name: 'agent_start_failed',
      detail: 'no such program',
      next: 'Get it.',
      data: { stderr: 'x' },
    });
    expect(onError).toHaveBeenCalledTimes(1);
  });
});
