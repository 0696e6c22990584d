import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AuditEntry, connectReeve, type Reeve } from '@reeve/client';
import {
  connectWebSocket,
  fakeAgentCommand,
  type JsonRpcPeer,
  type SpawnedReeve,
  type Step,
  script,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callControl } from './control-calls.ts';

const top = resolve(import.meta.dirname, '..');
const FILESYSTEM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const SLOW_MS = 120_000;
const SOON = { timeout: 60_000, interval: 50 } as const;
const PLANTED = 'planted-in-a-traceparent';

let base: string;
let reeve: SpawnedReeve;
let api: Reeve;
let client: JsonRpcPeer;
const at = (name: string): string => join(base, name);

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-traces-')));
  for (const name of ['project', 'outside', 'more']) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), 'file.txt'), 'text');
  }
  const fake = { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } };
  reeve = await startReeve({ config: { sandbox: {}, agents: { fake }, defaultAgent: 'fake' }, dataDir: at('data') });
  api = connectReeve(reeve);
  client = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
  await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
}, SLOW_MS);
afterAll(async () => {
  client?.close();
  await reeve?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

interface Trace {
  readonly id: string;
  /** As a client of W3C Trace Context sends it. */
  readonly parent: string;
}

function newTrace(): Trace {
  const id = randomBytes(16).toString('hex');
  return { id, parent: `00-${id}-${randomBytes(8).toString('hex')}-01` };
}

const records = async (trace: string): Promise<readonly AuditEntry[]> =>
  (await api.audit.list({ trace, order: 'oldest', limit: 1000 })).records;
const kindsOf = async (trace: string): Promise<readonly string[]> => (await records(trace)).map(({ kind }) => kind);

async function newSession(traceparent?: unknown): Promise<string> {
  const mcpServers = [{ name: 'files', command: process.execPath, args: [FILESYSTEM, at('project')], env: [] }];
  const params = { cwd: at('project'), mcpServers, ...(traceparent === undefined ? {} : { _meta: { traceparent } }) };
  return (await client.request<{ sessionId: string }>('session/new', params)).sessionId;
}

function prompt(sessionId: string, steps: readonly Step[], traceparent?: unknown): Promise<unknown> {
  const meta = traceparent === undefined ? {} : { _meta: { traceparent } };
  const text = script(...(steps as [Step, ...Step[]]));
  return client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }], ...meta });
}

/** The one request of a kind that waits, answered over HTTP in a trace of its own. */
async function answer(sessionId: string, kind: string, body: object, trace: Trace): Promise<string> {
  let id = '';
  await expect
    .poll(async () => {
      id = (await api.requests.list({ session: sessionId })).find((one) => one.kind === kind)?.id ?? '';
      return id;
    }, SOON)
    .not.toBe('');
  const headers = { authorization: `Bearer ${reeve.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${reeve.url}/v1/requests/${id}/answer`, {
    method: 'POST',
    headers: { ...headers, traceparent: trace.parent },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return id;
}

it('has everything of one turn under the trace that its client named, and nothing under one that the agent names', {
  timeout: SLOW_MS,
}, async () => {
  const [creation, turn, review, permission, claimed] = [newTrace(), newTrace(), newTrace(), newTrace(), newTrace()];
  const sessionId = await newSession(creation.parent);
  expect(await kindsOf(creation.id)).toEqual(
    expect.arrayContaining(['session.created', 'boundary.set', 'agent.started']),
  );
  const meta = { _meta: { traceparent: claimed.parent } };
  const call = (path: string): Step => ({
    mcp: { server: 'files', method: 'tools/call', params: { name: 'read_text_file', arguments: { path }, ...meta } },
  });
  const done = prompt(
    sessionId,
    [
      call(join(at('project'), 'file.txt')),
      call(join(at('outside'), 'file.txt')),
      { permission: { title: 'write' } },
      { fsRead: join(at('outside'), 'file.txt') },
      { terminal: { command: 'pwd', cwd: at('outside') } },
      { request: { method: 'fs/read_text_file', params: { sessionId: '$SESSION', path: '/etc/shadow', ...meta } } },
    ],
    turn.parent,
  );
  const reviewed = await answer(sessionId, 'review', { decision: 'approve', scope: 'session' }, review);
  const permitted = await answer(sessionId, 'permission', { reply: 'once' }, permission);
  await done;

  const kinds = ['mcp.called', 'boundary.alarm', 'request.asked', 'request.answered', 'fs.refused', 'terminal.refused'];
  await expect.poll(() => kindsOf(turn.id), SOON).toEqual(expect.arrayContaining(kinds));
  const ofTurn = await records(turn.id);
  expect(ofTurn.filter(({ kind }) => kind === 'mcp.called').map(({ facts }) => facts.outcome)).toEqual([
    'completed',
    'refused',
  ]);
  expect(ofTurn.find(({ cause, kind }) => cause === permitted && kind === 'request.answered')).toMatchObject({
    trace: turn.id,
    answerTrace: permission.id,
  });
  // Who answered finds the record by their own trace too; the review was asked when the server was to start.
  expect(await records(permission.id)).toMatchObject([{ kind: 'request.answered', cause: permitted, trace: turn.id }]);
  const [asked] = (await records(review.id)).filter(({ cause }) => cause === reviewed);
  expect(asked).toMatchObject({ kind: 'request.answered', trace: creation.id, answerTrace: review.id });
  expect(await records(claimed.id)).toEqual([]);
  expect(await kindsOf(creation.id)).toEqual(expect.arrayContaining(['mcp.approved', 'mcp.admitted', 'roots.exposed']));

  await prompt(sessionId, [{ fsWrite: { path: '/etc/planted', content: '' } }, { say: 'done' }]);
  const { records: later } = await api.audit.list({ session: sessionId, kind: 'terminal.refused' });
  expect(later.map(({ trace }) => trace)).toEqual([turn.id]);
  await prompt(sessionId, [call(join(at('outside'), 'file.txt'))]);
  await expect
    .poll(async () => (await api.audit.list({ session: sessionId, kind: 'mcp.called' })).records, SOON)
    .toHaveLength(3);
  const [last] = (await api.audit.list({ session: sessionId, kind: 'mcp.called' })).records;
  expect(last?.trace).toMatch(/^[\da-f]{32}$/);
  expect([turn.id, creation.id, claimed.id]).not.toContain(last?.trace);
});

it('takes the trace of an HTTP request from its header, for what it changes and the prompt that it sends', {
  timeout: SLOW_MS,
}, async () => {
  const [creation, turn, change] = [newTrace(), newTrace(), newTrace()];
  const send = async (
    path: string,
    method: string,
    body: object,
    { parent }: Trace,
  ): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${reeve.token}`, 'content-type': 'application/json', traceparent: parent };
    const response = await fetch(`${reeve.url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
    expect([path, response.ok]).toEqual([path, true]);
    return (await response.json()) as Record<string, unknown>;
  };
  const { session } = await send('/sessions', 'POST', { cwd: at('project') }, creation);
  const { sessionId } = session as { readonly sessionId: string };
  expect(await kindsOf(creation.id)).toContain('session.created');
  await send(`/sessions/${sessionId}/prompt`, 'POST', { prompt: script({ fsRead: '/etc/shadow' }) }, turn);
  await expect.poll(() => kindsOf(turn.id), SOON).toEqual(['fs.refused']);
  const roots = ['project', 'more'].map((name) => ({ path: at(name), access: 'rw' }));
  await send(`/sessions/${sessionId}/boundary`, 'PUT', { roots }, change);
  expect(await kindsOf(change.id)).toContain('boundary.changed');
});

it('takes the trace of an ACP message over HTTP from its header, and before that from the message itself', {
  timeout: SLOW_MS,
}, async () => {
  const post = (method: string, params: object, headers: Record<string, string>): Promise<Response> =>
    fetch(`${reeve.url}/acp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${reeve.token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: method, method, params }),
    });
  const opened = await post('initialize', { protocolVersion: 1, clientCapabilities: {} }, {});
  const connection = { 'acp-connection-id': opened.headers.get('acp-connection-id') ?? '' };
  const [header, message] = [newTrace(), newTrace()];
  const setup = { cwd: at('project'), mcpServers: [] };
  await post('session/new', setup, { ...connection, traceparent: header.parent });
  await expect.poll(() => kindsOf(header.id), SOON).toContain('session.created');
  const meta = { _meta: { traceparent: message.parent } };
  await post('session/new', { ...setup, ...meta }, { ...connection, traceparent: header.parent });
  await expect.poll(() => kindsOf(message.id), SOON).toContain('session.created');
  expect((await kindsOf(header.id)).filter((kind) => kind === 'session.created')).toHaveLength(1);
});

it('keeps nothing of a traceparent that is none, and gives each request a trace of its own then', {
  timeout: SLOW_MS,
}, async () => {
  const zeros = `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`;
  for (const traceparent of [
    PLANTED,
    zeros,
    { [PLANTED]: PLANTED },
    `00-${PLANTED}`,
    `${newTrace().parent}-${PLANTED}`,
  ]) {
    const sessionId = await newSession(traceparent);
    const [created] = (await api.audit.list({ session: sessionId, kind: 'session.created' })).records;
    expect(created?.trace).toMatch(/^(?!0{32})[\da-f]{32}$/);
    expect(await kindsOf(created?.trace ?? '')).toEqual(
      expect.arrayContaining(['session.created', 'boundary.set', 'agent.started']),
    );
  }
  const [one, other] = (await api.audit.list({ kind: 'session.created', limit: 2 })).records;
  expect(one?.trace).not.toBe(other?.trace);
  const lines = [
    await Array.fromAsync(api.audit.export()),
    await Array.fromAsync(api.audit.export({ format: 'ocsf' })),
  ];
  expect(lines.flat().join('\n')).not.toContain(PLANTED);
  expect(reeve.stderr()).not.toContain(PLANTED);
});

it('has no record without a trace, verifies as before, and says what a trace id is to whoever asks for something else', async () => {
  const { records: all } = await api.audit.list({ limit: 1000 });
  expect(all.length).toBeGreaterThan(10);
  for (const record of all) expect(record.trace, record.kind).toMatch(/^[\da-f]{32}$/);
  expect(await api.audit.verify()).toMatchObject({ kind: 'intact', problems: [] });
  await expect(callControl(reeve, '/audit?trace=ABC')).rejects.toThrow(/400 .*32 lower-case hex digits/);
});
