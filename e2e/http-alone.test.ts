import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallError, connectReeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A session driven without any ACP client: by calls of the control API, as a shell script would make them. */
describe('a session driven by HTTP alone', () => {
  let reeve: SpawnedReeve;
  let cwd: string;
  const api = () => connectReeve({ url: reeve.url, token: reeve.token });
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'reeve-http-'));
    const agents = { fake: fakeAgentCommand(['--resume']), login: fakeAgentCommand(['--require-auth']) };
    reeve = await startReeve({ config: { agents, defaultAgent: 'fake' } });
  });
  afterAll(async () => {
    await reeve?.[Symbol.asyncDispose]();
    await rm(cwd, { recursive: true, force: true });
  });

  it('is created, prompted, answered and closed', async () => {
    const { session, result } = await api().sessions.create({ cwd, metadata: { title: 'By hand' } });
    expect(session).toMatchObject({ agent: 'fake', cwd, title: 'By hand', state: 'idle' });
    expect(result.sessionId).toBe(session.sessionId);

    const asks = script({ say: 'May I? ' }, { permission: { title: 'Write' } }, { say: ' Done.' });
    const turn = api().sessions.prompt(session.sessionId, { prompt: asks });
    const [request] = await expect
      .poll(() => api().requests.list({ session: session.sessionId }))
      .toHaveLength(1)
      .then(() => api().requests.list({ session: session.sessionId }));
    expect((await api().sessions.show(session.sessionId)).state).toBe('waiting');
    await api().requests.answer(request?.id ?? '', { reply: 'once' });

    const outcome = await turn;
    expect(outcome).toMatchObject({ sessionId: session.sessionId, stopReason: 'end_turn', truncated: false });
    expect(outcome.text).toMatch(/^May I\? .*allow.* Done\.$/);
    const { events } = await api().sessions.events(session.sessionId, { after: outcome.after });
    expect(events.map(({ kind }) => kind)).toContain('turn_end');
    await api().sessions.close(session.sessionId);
    expect((await api().sessions.show(session.sessionId)).state).toBe('closed');
    const ended = (await api().sessions.events(session.sessionId, { after: outcome.lastSeq })).events.at(-1)?.message;
    expect(ended).toEqual({ type: 'session_ended', reason: 'closed', by: 'reeve-sdk 0.1.0' });
  });

  it('is in the audit log as begun and ended by whom its caller says that it is', async () => {
    const { session } = await api().sessions.create({ cwd });
    await api().sessions.close(session.sessionId);
    const { records } = await api().audit.list({ session: session.sessionId });
    const acts = ['session.created', 'boundary.set', 'session.ended'];
    expect(records.filter(({ kind }) => acts.includes(kind)).map(({ kind, by }) => [kind, by])).toEqual(
      acts.toReversed().map((kind) => [kind, 'reeve-sdk 0.1.0']),
    );
  });

  it('goes on without its caller, is followed by its events, and is cancelled by another call', async () => {
    const { session } = await api().sessions.create({ cwd });
    const { after } = await api().sessions.beginPrompt(session.sessionId, {
      prompt: script({ say: 'waiting' }, { untilCancel: true }),
    });
    const kinds: string[] = [];
    const following = new AbortController();
    for await (const { kind, message } of api().followEvents(session.sessionId, { after, signal: following.signal })) {
      kinds.push(kind);
      if (JSON.stringify(message).includes('waiting')) await api().sessions.cancel(session.sessionId);
      if (kind !== 'turn_end') continue;
      expect(message).toMatchObject({ result: { stopReason: 'cancelled' } });
      break;
    }
    expect(kinds).toContain('prompt');
    await api().sessions.cancel(session.sessionId);
  });

  it('queues prompts in order, gives each its own words, and runs no idempotency key twice', async () => {
    const { session } = await api().sessions.create({ cwd });
    const first = api().sessions.prompt(session.sessionId, { prompt: script({ sleep: 2000 }, { say: 'one' }) });
    await expect.poll(async () => (await api().sessions.show(session.sessionId)).state).toBe('running');
    await expect(api().sessions.prompt(session.sessionId, { prompt: 'x', whenBusy: 'refuse' })).rejects.toMatchObject({
      code: 'turn_in_progress',
    });
    const second = api().sessions.prompt(session.sessionId, { prompt: script({ say: 'two' }), idempotencyKey: 'k' });
    expect([(await first).text, (await second).text]).toEqual(['one', 'two']);
    const again = await api().sessions.prompt(session.sessionId, { prompt: 'x', idempotencyKey: 'k' });
    expect(again).toMatchObject({ stopReason: 'end_turn' });
    expect(again.text).toBeUndefined();
  });

  it('carries attachments by link and inline, with their names', async () => {
    const { session } = await api().sessions.create({ cwd });
    const { text } = await api().sessions.prompt(session.sessionId, {
      prompt: [{ type: 'text', text: script({ received: 'prompt' }) }],
      attachments: [
        { path: join(cwd, 'plan.md'), mimeType: 'text/markdown' },
        { text: 'inline words', filename: 'note.txt' },
      ],
    });
    expect(text).toContain('"type":"resource_link"');
    expect(text).toContain('plan.md');
    expect(text).toContain('"filename":"note.txt"');
  });

  it('is renamed, given another model, and terminated in the middle of its turn', async () => {
    const { session } = await api().sessions.create({ cwd, metadata: { title: 'Before', note: 'x' } });
    const changed = await api().sessions.setMetadata(session.sessionId, {
      title: 'After',
      note: null,
      agentMode: 'code',
    });
    expect(changed.metadata).toMatchObject({ title: 'After', agentMode: 'code' });
    expect(changed.metadata).not.toHaveProperty('note');
    expect(changed.applied).toMatchObject({ agentMode: { rung: 'set_mode' } });
    expect(await api().sessions.show(session.sessionId)).toMatchObject({ title: 'After' });

    const turn = api().sessions.prompt(session.sessionId, { prompt: script({ untilCancel: true }) });
    await expect.poll(async () => (await api().sessions.show(session.sessionId)).state).toBe('running');
    await api().sessions.terminate(session.sessionId);
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    expect((await api().sessions.show(session.sessionId)).state).toBe('dormant');
    await api().sessions.terminate(session.sessionId);
  });

  it('is woken by a prompt after its process is gone', async () => {
    const { session } = await api().sessions.create({ cwd });
    await api().sessions.close(session.sessionId);
    const { text } = await api().sessions.prompt(session.sessionId, { prompt: script({ say: 'back' }) });
    expect(text).toBe('back');
  });

  it('says what is wrong, in the words of the one table of errors', async () => {
    const refused = async (call: Promise<unknown>): Promise<CallError> =>
      call.then(
        () => expect.fail('it was taken'),
        (error: CallError) => error,
      );
    expect(await refused(api().sessions.create({ cwd: '/no/such/place' }))).toMatchObject({ code: 'invalid_params' });
    expect(await refused(api().sessions.create({ cwd, agent: 'nobody' }))).toMatchObject({ code: 'invalid_params' });
    expect(await refused(api().sessions.create({ cwd, mcpServers: [{ name: 'x' }] }))).toMatchObject({
      code: 'invalid_params',
      message: expect.stringContaining('mcpServers[0]'),
    });
    expect(await refused(api().sessions.create({ cwd, agent: 'login' }))).toMatchObject({
      code: 'authentication_required',
    });
    expect(await refused(api().sessions.prompt('nobody', { prompt: 'x' }))).toMatchObject({ code: 'not_found' });
  });

  it('answers in the shapes that its OpenAPI document gives', async () => {
    const get = async (path: string): Promise<unknown> =>
      (await fetch(`${reeve.url}${path}`, { headers: { authorization: `Bearer ${reeve.token}` } })).json();
    const { session } = await api().sessions.create({ cwd });
    await api().sessions.prompt(session.sessionId, { prompt: script({ permission: { cancelAfterMs: 1 } }) });
    const document = (await get('/v1/openapi.json')) as Document;
    const ajv = new Ajv2020({ strict: false });
    for (const [path, real] of [
      ['/v1/health', '/v1/health'],
      ['/v1/agents', '/v1/agents'],
      ['/v1/agents/{name}', '/v1/agents/fake'],
      ['/v1/sessions', '/v1/sessions?limit=2'],
      ['/v1/sessions/{id}', `/v1/sessions/${session.sessionId}`],
      ['/v1/sessions/{id}/events', `/v1/sessions/${session.sessionId}/events`],
      ['/v1/requests', '/v1/requests?state=all'],
    ] as const) {
      const schema = document.paths[path]?.get?.responses['200']?.content['application/json'].schema;
      const validate = ajv.compile(schema ?? false);
      expect([path, validate(await get(real)), validate.errors]).toEqual([path, true, null]);
    }
  });
});

interface Document {
  readonly paths: Record<
    string,
    { get?: { responses: Record<string, { content: { 'application/json': { schema: object } } }> } }
  >;
}
