import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EventSeq, type JsonObject, META_KEY, type SessionId } from '@reeve/protocol';
import { type FloodSpec, floodIndex, type JsonRpcPeer, webSocketTransport } from '@reeve/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { answerIndex, load, newSession, prompt, resume, userTexts } from './session-calls.rig.ts';

const ours = (carrier: JsonObject): JsonObject => (carrier._meta as JsonObject)['sandboxagent.dev'] as JsonObject;

/** Whether the client was shown the whole flood, each update once and in order. */
function sawFlood(peer: JsonRpcPeer, spec: FloodSpec): boolean {
  const indexes = peer.agentTexts().map((text) => floodIndex(spec, text));
  return indexes.length === spec.count && indexes.every((index, place) => index === place);
}

describe('attaching to a session', () => {
  let rig: SessionRig;
  beforeAll(async () => {
    rig = await startRig({ limits: { connectionQueueBytes: 256 * 1024 } });
  });
  afterAll(async () => {
    expect(rig.unforeseen).toEqual([]);
    expect(rig.warnings).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  it('shows the same to everybody, whenever they came', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const early = await rig.connect();
    await load(rig, early, sessionId);
    await prompt(peer, sessionId, [{ say: 'one' }, { usage: true }, { say: 'two' }]);
    const late = await rig.connect();
    await load(rig, late, sessionId);
    await load(rig, peer, sessionId);
    const raws = (client: JsonRpcPeer): string[] =>
      client.log.filter(({ message }) => message?.method === 'session/update').map(({ raw }) => raw);
    expect(raws(late)).toEqual(raws(early));
    expect(raws(peer).slice(-raws(late).length)).toEqual(raws(late));
    expect(userTexts(early)).toHaveLength(1);
  });

  it('continues exactly after the seq that a client names, wherever it was cut', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ flood: { count: 40, bytes: 32 } }]);
    const whole = await rig.connect({ wishes: { seq: true } });
    const { lastSeq } = ours(await load(rig, whole, sessionId)) as { lastSeq: number };
    const all = whole.notifications('session/update').map((params) => ({ seq: ours(params).seq as number, params }));
    expect(all).toHaveLength(41);
    const client = await rig.connect({ wishes: { seq: true } });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: lastSeq }), fc.boolean(), async (after, loads) => {
        const from = client.log.length;
        await (loads ? load : resume)(rig, client, sessionId, { after });
        const got = client.log.slice(from).filter(({ message }) => message?.method === 'session/update');
        expect(got.map(({ message }) => message?.params)).toEqual(
          all.filter(({ seq }) => seq > after).map(({ params }) => params),
        );
      }),
      { numRuns: 25 },
    );
    await expect(load(rig, client, sessionId, { after: lastSeq + 1000 })).rejects.toMatchObject({ code: -32602 });
    for (const after of [-1, 1.5, 'x', null])
      await expect(load(rig, client, sessionId, { after })).rejects.toMatchObject({ code: -32602 });
  });

  it('continues exactly while a flood runs', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const spec = { count: 20_000, bytes: 64 };
    const turn = prompt(peer, sessionId, [{ flood: spec }]);
    const seen: number[] = [];
    let after: EventSeq | undefined;
    for (let round = 0; round < 6; round += 1) {
      const client = await rig.connect({ wishes: { seq: true } });
      await load(rig, client, sessionId, after === undefined ? {} : { after });
      // A turn that has ended sends no more.
      await Promise.race([client.waitFor(({ method }) => method === 'session/update'), turn]);
      client.close();
      await client.closed;
      for (const params of client.notifications('session/update')) {
        after = ours(params).seq as EventSeq;
        seen.push(after);
      }
    }
    await turn;
    const last = await rig.connect({ wishes: { seq: true } });
    await load(rig, last, sessionId, { after: after ?? 0 });
    for (const params of last.notifications('session/update')) seen.push(ours(params).seq as number);
    expect(seen).toHaveLength(spec.count + 1);
    expect(seen.every((seq, index) => index === 0 || seq > (seen[index - 1] as number))).toBe(true);
    expect(sawFlood(peer, spec)).toBe(true);
  });

  it('puts the seq into updates only for those who wish it, and changes nothing else', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ usage: true }, { update: { sessionUpdate: 'x', _meta: { other: 1 } } }]);
    const [plain, numbered] = [await rig.connect(), await rig.connect({ wishes: { seq: true } })];
    await load(rig, plain, sessionId);
    await load(rig, numbered, sessionId);
    const got = numbered.log
      .filter(({ message }) => message?.method === 'session/update')
      .map(({ message }) => message);
    const stripped = got.map((message) => {
      const copy = structuredClone(message) as { params: { _meta?: JsonObject } };
      delete copy.params._meta;
      return copy;
    });
    expect(stripped).toEqual(
      plain.log.filter(({ message }) => message?.method === 'session/update').map(({ message }) => message),
    );
    const seqs = numbered.notifications('session/update').map((params) => ours(params).seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => Number(a) - Number(b)));
  });

  it('serves twenty clients a flood, each of them all of it', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const spec = { count: 20_000, bytes: 64 };
    const clients = await Promise.all(Array.from({ length: 19 }, () => rig.connect()));
    await Promise.all(clients.map((client) => load(rig, client, sessionId)));
    await prompt(peer, sessionId, [{ flood: spec }]);
    for (const client of clients) {
      await eventually(() => client.agentTexts().length).toBe(spec.count);
      expect(sawFlood(client, spec)).toBe(true);
    }
    expect(sawFlood(peer, spec)).toBe(true);
  });

  it('loses nothing for a client that stops reading, holds no other, and keeps no more than its bound', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const socket = new WebSocket(rig.url);
    const transport = webSocketTransport(socket);
    const texts: string[] = [];
    transport.listen(
      (text) => texts.push(text),
      () => {},
    );
    transport.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } }));
    await eventually(() => texts.length).toBe(1);
    const params = { sessionId, cwd: rig.cwd, mcpServers: [] };
    transport.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'session/load', params }));
    await eventually(() => texts.length).toBe(2);
    socket.pause();
    const spec = { count: 10_000, bytes: 4000 };
    await prompt(peer, sessionId, [{ flood: spec }]);
    expect(sawFlood(peer, spec)).toBe(true);
    // What waits in the process for that client: its bound and the chunk that went over it.
    expect(rig.sockets.at(-1)?.writableLength).toBeLessThan(256 * 1024 + 2 * 512 * 1024);
    expect(texts.length).toBeLessThan(spec.count);
    socket.resume();
    await eventually(() => texts.length).toBe(2 + spec.count + 1);
    const said = texts.slice(3).map((text) => {
      const { params: update } = JSON.parse(text) as { params: { update: { content: { text: string } } } };
      return floodIndex(spec, update.update.content.text);
    });
    expect(said.every((index, place) => index === place)).toBe(true);
    socket.terminate();
  });

  it('ends with detach: nothing more comes, and the session goes on', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const other = await rig.connect();
    await load(rig, other, sessionId);
    expect(await other.request('_sandboxagent/session/detach', { sessionId })).toEqual({});
    expect(await other.request('_sandboxagent/session/detach', { sessionId })).toEqual({});
    await prompt(peer, sessionId, 'alone');
    expect(other.updates()).toEqual([]);
    await resume(rig, other, sessionId, { after: 0 });
    expect(other.agentTexts()).toEqual(['alone']);
  });

  it('is refused beyond the limit, but not to who is there already', async () => {
    await using small = await startRig({ limits: { maxSubscribersPerSession: 2 } });
    const [one, two, three] = [await small.connect(), await small.connect(), await small.connect()];
    const sessionId = await newSession(small, one);
    await load(small, two, sessionId);
    await expect(load(small, three, sessionId)).rejects.toMatchObject({
      code: 47010,
      message: expect.stringContaining('limits.maxSubscribersPerSession'),
    });
    await load(small, two, sessionId);
    two.close();
    await eventually(() =>
      load(small, three, sessionId).then(
        () => 'in',
        () => 'out',
      ),
    ).toBe('in');
  });

  it('lets an observer look at a dormant session without starting its agent', async () => {
    await using quiet = await startRig({ limits: { idleAgentMs: 1 } });
    const peer = await quiet.connect();
    const sessionId = await newSession(quiet, peer);
    await prompt(peer, sessionId, 'past');
    peer.close();
    await eventually(() => quiet.directory.liveCount).toBe(0);
    const watcher = await quiet.connect();
    expect(ours(await load(quiet, watcher, sessionId, { role: 'observer' }))).toMatchObject({
      state: 'dormant',
      role: 'observer',
    });
    expect(watcher.agentTexts()).toEqual(['past']);
    watcher.close();
    await eventually(() => quiet.directory.liveCount).toBe(0);
  });

  it('lets only an observer look at a session whose directory is gone', async () => {
    await using quiet = await startRig({ limits: { idleAgentMs: 1 } });
    const peer = await quiet.connect();
    const cwd = join(quiet.cwd, 'gone');
    await mkdir(cwd);
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    await prompt(peer, sessionId, 'past');
    peer.close();
    await eventually(() => quiet.directory.liveCount).toBe(0);
    await rm(cwd, { recursive: true });

    const watcher = await quiet.connect();
    const params = { sessionId, cwd, mcpServers: [] };
    for (const method of ['session/load', 'session/resume']) {
      await expect(watcher.request(method, params)).rejects.toMatchObject({
        code: -32602,
        data: { issues: [{ path: 'cwd', received: 'nothing there' }] },
      });
      const observes = { ...params, _meta: { [META_KEY]: { role: 'observer', after: 0 } } };
      expect(ours(await watcher.request(method, observes))).toMatchObject({ role: 'observer', state: 'dormant' });
      await watcher.request('_sandboxagent/session/detach', { sessionId });
    }
    expect(watcher.agentTexts()).toEqual(['past', 'past']);
  });

  it('answers the load before what is asked of people, and both after the replay', async () => {
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ flood: { count: 5000, bytes: 64 } }]);
    peer.onRequest('session/request_permission', () => new Promise(() => undefined));
    const turn = prompt(peer, sessionId, [{ permission: {} }]);
    await eventually(() => rig.broker.pendingOf(sessionId as SessionId).length).toBe(1);
    const other = await rig.connect();
    other.onRequest('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId: 'allow-once' } }));
    await load(rig, other, sessionId);
    await turn;
    const asked = other.log.findIndex(({ message }) => message?.method === 'session/request_permission');
    expect(asked).toBeGreaterThan(answerIndex(other, 'session/load'));
    expect(other.log.slice(0, asked).filter(({ message }) => message?.method === 'session/update')).toHaveLength(5003);
  });
});

describe('the log over JSON-RPC', () => {
  it('is read page by page without gaps, whatever the size of the page', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ flood: { count: 500, bytes: 5000 } }]);
    for (const limit of [7, 100, 1000]) {
      const seqs: number[] = [];
      let after = 0;
      for (let more = true; more; ) {
        const page: { events: { seq: number }[]; nextAfter: number; hasMore: boolean } = await peer.request(
          '_sandboxagent/session/events',
          { sessionId, after, limit },
        );
        expect(page.events.length).toBeLessThanOrEqual(limit);
        seqs.push(...page.events.map(({ seq }) => seq));
        after = page.nextAfter;
        more = page.hasMore;
      }
      expect(seqs).toEqual(seqs.map((_, index) => index + 1));
      expect(seqs.length).toBeGreaterThan(500);
    }
    for (const bad of [{ after: -1 }, { limit: 0 }, { limit: 1001 }, { limit: 'x' }])
      await expect(peer.request('_sandboxagent/session/events', { sessionId, ...bad })).rejects.toMatchObject({
        code: -32602,
      });
    await expect(peer.request('_sandboxagent/session/events', { sessionId: 'none' })).rejects.toMatchObject({
      code: -32002,
    });
  });

  it('lists sessions page by page, each once', async () => {
    await using rig = await startRig();
    const peer = await rig.connect();
    const now = Date.now();
    for (let index = 0; index < 230; index += 1) {
      await rig.store.sessions.put({
        sessionId: `stored-${index}` as SessionId,
        agent: 'fake',
        agentSessionId: 'x',
        cwd: index % 2 === 0 ? '/even' : '/odd',
        additionalDirectories: [],
        createdAt: now,
        updatedAt: now - (index % 50),
        agentEpoch: 0 as never,
        closed: false,
        setup: {},
        metadata: {},
      });
    }
    for (const [cwd, count] of [
      [undefined, 230],
      ['/even', 115],
    ] as const) {
      const ids: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page: { sessions: JsonObject[]; nextCursor?: string } = await peer.request('session/list', {
          cwd,
          cursor,
        });
        ids.push(...page.sessions.map(({ sessionId }) => sessionId));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(ids).toHaveLength(count);
      expect(new Set(ids).size).toBe(count);
    }
  });
});
