import { tmpdir } from 'node:os';
import { floodText, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectReeve, type LiveValue, openLive, type Reeve, type ReeveOptions, textOf, timelineOf } from '../index.ts';
import { movableWire } from './movable-wire.rig.ts';

let server: SpawnedReeve;
let reeve: Reeve;
beforeAll(async () => {
  server = await startReeve();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const ends: (() => void)[] = [];
/** Looks at a value until the test ends. */
function look<T>(value: LiveValue<T>): LiveValue<T> {
  ends.push(value.subscribe(() => {}));
  return value;
}
afterAll(() => {
  for (const end of ends) end();
});

const create = async (title: string, by = reeve): Promise<string> =>
  (await by.sessions.create({ cwd: tmpdir(), metadata: { title } })).session.sessionId;
/** As long as a slow machine may take. */
const soon = { interval: 20 };

async function allEvents(by: Reeve, id: string) {
  const events = [];
  for (let after = 0; ; ) {
    const page = await by.sessions.events(id, { after });
    events.push(...page.events);
    if (!page.hasMore) return events;
    after = page.nextAfter;
  }
}

describe.each(['http', 'websocket'] as const)('live values of a server, its streams over %s', (streams) => {
  const connect = (options: ReeveOptions): Reeve => connectReeve({ ...options, streams });
  beforeAll(() => {
    reeve = connect(server);
  });

  it('show what waits for a person, everywhere and in its session, and who answered elsewhere', async () => {
    const live = openLive(reeve);
    const id = await create('asks');
    const [inbox, own, session] = [look(live.inbox()), look(live.inbox(id)), look(live.session(id))];
    expect(inbox.get().state).toEqual({ kind: 'loading' });
    await reeve.sessions.beginPrompt(id, { prompt: script({ permission: {} }) });
    await expect.poll(() => inbox.get().requests.length, soon).toBe(1);
    await expect.poll(() => [own.get().requests.length, session.get().requests.length], soon).toEqual([1, 1]);
    await expect.poll(() => session.get().info?.state, soon).toBe('waiting');
    const [request] = inbox.get().requests;
    // The session and the inbox are told by streams of their own.
    await expect
      .poll(() => session.get().timeline.items.find(({ kind }) => kind === 'request'), soon)
      .toMatchObject({ rpcId: request?.rpcId, outcome: { kind: 'pending' } });
    await connect(server).requests.answer(request?.id ?? '', { reply: 'once' });
    await expect.poll(() => inbox.get().requests, soon).toEqual([]);
    expect(inbox.get().resolved[0]).toMatchObject({
      id: request?.id,
      state: { kind: 'answered', by: 'reeve-sdk 0.1.0' },
    });
    await expect(inbox.get().answer(request?.id ?? '', { reply: 'once' })).rejects.toMatchObject({
      code: 'already_resolved',
    });
    await expect.poll(() => session.get().info?.state, soon).toBe('idle');
    expect(session.get().timeline.items.find(({ kind }) => kind === 'request')).toMatchObject({
      outcome: { kind: 'answered' },
    });
  });

  it('show sessions as they come, change and go', async () => {
    const live = openLive(reeve);
    const sessions = look(live.sessions());
    await expect.poll(() => sessions.get().state.kind, soon).toBe('live');
    const id = await create('first name');
    const shown = () => sessions.get().sessions.find(({ sessionId }) => sessionId === id);
    await expect.poll(() => shown()?.title, soon).toBe('first name');
    expect(sessions.get().sessions[0]?.sessionId).toBe(id);
    await reeve.sessions.setMetadata(id, { title: 'second name' });
    await expect.poll(() => shown()?.title, soon).toBe('second name');
    await using acp = await reeve.openAcp();
    await acp.resumeSession({ sessionId: id, cwd: tmpdir() });
    await expect.poll(() => shown()?.attached, soon).toBe(1);
    acp.close();
    await expect.poll(() => shown()?.attached, soon).toBe(0);
    const { session: fork } = await reeve.sessions.fork(id, { metadata: { title: 'a fork' } });
    expect(fork).toMatchObject({ title: 'a fork', cwd: fork.cwd });
    expect(fork.sessionId).not.toBe(id);
    const view = look(live.session(id));
    await expect.poll(() => view.get().state.kind, soon).toBe('live');
    await reeve.sessions.close(id);
    await expect.poll(() => shown()?.state, soon).toBe('closed');
    await reeve.sessions.remove(id);
    await expect.poll(() => shown(), soon).toBeUndefined();
    await expect.poll(() => view.get().state, soon).toMatchObject({ kind: 'failed', error: { code: 'not_found' } });
  });

  it('show who is attached and who reads along, by what each says of itself, as they come and go', async () => {
    const id = await create('watched');
    const session = look(openLive(reeve).session(id));
    const shown = () => session.get().info?.clients;
    const reads = { claimed: { name: 'reeve-sdk', version: '0.1.0' }, transport: 'events', role: 'observer' };
    await expect.poll(shown, soon).toMatchObject([reads]);
    await using acp = await reeve.openAcp({ clientInfo: { name: 'e\u202edit', version: '9'.repeat(999) } });
    await acp.resumeSession({ sessionId: id, cwd: tmpdir() });
    const edits = { claimed: { name: 'e\u202edit', version: '9'.repeat(100) }, transport: 'websocket' };
    await expect.poll(shown, soon).toMatchObject([{ ...edits, role: 'controller' }, reads]);
    const [{ since, connection } = { since: 0 }] = shown() ?? [];
    expect(since).toBeGreaterThan(Date.now() - 60_000);
    await acp.resumeSession({ sessionId: id, cwd: tmpdir() }, { role: 'observer' });
    await expect.poll(shown, soon).toMatchObject([{ ...edits, role: 'observer', since, connection }, reads]);
    acp.close();
    await expect.poll(shown, soon).toMatchObject([reads]);
  });

  it('find sessions by what was said in them and by their titles', async () => {
    const [said, titled] = [await create('Nothing special'), await create('The quixotic parser')];
    await reeve.sessions.prompt(said, { prompt: script({ say: 'A quixo' }, { say: 'tic überflow' }) });
    const live = openLive(reeve);
    const found = look(live.sessions({ q: 'QUIXOTIC' }));
    await expect
      .poll(
        () =>
          found
            .get()
            .sessions.map(({ sessionId }) => sessionId)
            .sort(),
        soon,
      )
      .toEqual([said, titled].sort());
    const both = look(live.sessions({ q: 'quixotic uberfl' }));
    await expect.poll(() => both.get().state.kind, soon).toBe('live');
    expect(both.get().sessions.map(({ sessionId }) => sessionId)).toEqual([said]);
    await reeve.sessions.prompt(titled, { prompt: script({ say: 'now überflowing' }) });
    expect((await reeve.sessions.list({ q: 'quixotic uberfl' })).sessions).toHaveLength(2);
    await reeve.sessions.remove(said);
    await expect.poll(() => both.get().sessions, soon).toEqual([]);
    await expect(reeve.sessions.list({ q: 'x'.repeat(201) })).rejects.toMatchObject({ status: 400 });
    await reeve.sessions.remove(titled);
  });

  it('read a session from its tail, older pages when asked, and the raw events of an item', async () => {
    const id = await create('long');
    for (const turn of [1, 2, 3])
      await reeve.sessions.prompt(id, { prompt: script({ say: `turn ${turn}` }, { flood: { count: 400, bytes: 8 } }) });
    const live = openLive(reeve);
    const session = look(live.session(id));
    await expect.poll(() => session.get().state.kind, soon).toBe('live');
    const tail = session.get();
    expect(tail.hasOlder).toBe(true);
    expect(tail.timeline.lastSeq - tail.timeline.firstSeq).toBe(499);
    await tail.loadOlder();
    await expect.poll(() => session.get().timeline.firstSeq, soon).toBe(tail.timeline.firstSeq - 500);
    const all = await allEvents(reeve, id);
    const seq = all.find(({ kind }) => kind === 'prompt')?.seq ?? 0;
    const index = await session.get().jumpTo(seq);
    await expect.poll(() => session.get().hasOlder, soon).toBe(false);
    const { timeline, rawOf } = session.get();
    expect(timeline).toEqual(timelineOf(all));
    const item = timeline.items[index ?? -1];
    const raw = await rawOf(item as NonNullable<typeof item>);
    expect(raw.map(({ seq }) => seq)).toContain(seq);
    expect(item).toMatchObject({ kind: 'user' });
    expect(raw).toHaveLength((item?.ranges ?? []).reduce((sum, [first, last]) => sum + last - first + 1, 0));
  });

  it('go on over a wire that is cut in the middle of a flood, without a line lost or doubled', async () => {
    using wire = await movableWire(server.url);
    const id = await create('flood');
    const live = openLive(connect({ url: wire.url, token: server.token }));
    const [session, inbox] = [look(live.session(id)), look(live.inbox())];
    await expect.poll(() => [session.get().state.kind, inbox.get().state.kind], soon).toEqual(['live', 'live']);
    const spec = { count: 3000, bytes: 16 };
    const turn = reeve.sessions.prompt(id, { prompt: script({ flood: spec }, { sleep: 300 }, { flood: spec }) });
    for (const pause of [50, 100, 150, 200]) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      wire.cut();
    }
    await turn;
    const { lastSeq } = await reeve.sessions.show(id);
    await expect.poll(() => session.get().timeline.lastSeq, soon).toBe(lastSeq);
    await session.get().jumpTo(1);
    await expect.poll(() => session.get().timeline.firstSeq, soon).toBe(1);
    const said = session.get().timeline.items.flatMap((item) => (item.kind === 'agent' ? [textOf(item.blocks)] : []));
    const whole = Array.from({ length: spec.count }, (_, index) => floodText(spec, index)).join('');
    expect(said.join('')).toBe(whole + whole);
    await expect.poll(() => inbox.get().state.kind, soon).toBe('live');
  });

  it('survive a server that is killed in the middle of a turn and started again', async () => {
    await using first = await startReeve();
    using wire = await movableWire(first.url);
    const away = connect({ url: wire.url, token: first.token });
    const id = await create('survivor', away);
    const live = openLive(away);
    const [session, inbox, sessions] = [look(live.session(id)), look(live.inbox()), look(live.sessions())];
    await away.sessions.beginPrompt(id, { prompt: script({ say: 'before' }, { permission: {} }) });
    await expect.poll(() => inbox.get().requests.length, soon).toBe(1);
    const asked = () => session.get().timeline.items.some(({ kind }) => kind === 'request');
    await expect.poll(asked, soon).toBe(true);
    wire.down();
    await first.kill('SIGKILL');
    await expect.poll(() => session.get().state.kind, soon).toBe('reconnecting');
    await expect.poll(() => live.connection.get().kind, soon).toBe('reconnecting');
    expect(asked()).toBe(true);
    const second = await first.restart();
    expect(second.token).toBe(first.token);
    wire.up(second.url);
    await expect.poll(() => inbox.get().requests, soon).toEqual([]);
    expect(inbox.get().resolved[0]?.state).toMatchObject({ kind: 'void' });
    await expect.poll(() => session.get().info?.state, soon).toBe('dormant');
    await away.sessions.prompt(id, { prompt: script({ say: 'after' }) });
    const all = await allEvents(away, id);
    await expect.poll(() => session.get().timeline.lastSeq, soon).toBe(all.at(-1)?.seq);
    expect(session.get().timeline).toEqual(timelineOf(all));
    await expect.poll(() => sessions.get().state.kind, soon).toBe('live');
  });

  it('are live again as soon as the line is, though nothing changes on the server', async () => {
    await using quiet = await startReeve();
    using wire = await movableWire(quiet.url);
    const live = openLive(connect({ url: wire.url, token: quiet.token }));
    const [connection, inbox] = [look(live.connection), look(live.inbox())];
    await expect.poll(() => [connection.get().kind, inbox.get().state.kind], soon).toEqual(['live', 'live']);
    wire.down();
    await expect
      .poll(() => [connection.get().kind, inbox.get().state.kind], soon)
      .toEqual(Array(2).fill('reconnecting'));
    // Who comes while the line is down is no worse off.
    const late = look(live.sessions());
    wire.up();
    await expect.poll(() => [connection.get().kind, inbox.get().state.kind], soon).toEqual(['live', 'live']);
    await expect.poll(() => late.get().state.kind, soon).toBe('live');
  });

  it('show the boundary of a session as it is changed', async () => {
    const id = await create('bounded');
    const boundary = look(openLive(reeve).boundary(id));
    await expect.poll(() => boundary.get().standing?.revision, soon).toBe(1);
    expect(boundary.get().standing?.roots).toMatchObject([{ access: 'rw' }]);
    const roots = (boundary.get().standing?.roots ?? []).map((root) => ({ ...root, access: 'ro' as const }));
    await reeve.boundaries.narrow(id, { roots });
    await expect.poll(() => boundary.get().standing?.roots, soon).toMatchObject([{ access: 'ro' }]);
    await expect.poll(() => boundary.get().boundary?.revision, soon).toBe(2);
  });

  it('say why a server refuses, and try again when told to', async () => {
    let token = 'wrong';
    const live = openLive(connect({ url: server.url, token: () => token }));
    const inbox = look(live.inbox());
    await expect
      .poll(() => inbox.get().state, soon)
      .toMatchObject({ kind: 'failed', error: { code: 'authentication_required', status: 401 } });
    token = server.token;
    live.retry();
    await expect.poll(() => inbox.get().state.kind, soon).toBe('live');
    const nowhere = look(live.session('no such session'));
    await expect.poll(() => nowhere.get().state, soon).toMatchObject({ kind: 'failed', error: { code: 'not_found' } });
  });

  it('are shared by all who look, and read nothing when nobody does', async () => {
    const live = openLive(reeve);
    expect(live.inbox()).toBe(live.inbox());
    expect(live.session('a')).toBe(live.session('a'));
    expect(live.session('a')).not.toBe(live.session('b'));
    expect(live.sessions({ cwd: '/a' })).not.toBe(live.sessions());
    expect(live.inbox().get()).toBe(live.inbox().get());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(live.connection.get()).toEqual({ kind: 'loading' });
  });
});
