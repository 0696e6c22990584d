import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { connectReeve, type Reeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const top = resolve(import.meta.dirname, '..');
const FILESYSTEM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
const SLOW_MS = 120_000;
const SOON = { timeout: 60_000, interval: 100 } as const;

/** What only the server itself is to know. */
const SECRETS = {
  env: 'planted-env-7a1',
  header: 'planted-header-7a2',
  user: 'planted-user-7a3',
  password: 'planted-password-7a4',
  query: 'planted-query-7a5',
} as const;
/** What the session knows, as its transcript has it, and neither the audit log, the server log nor an alarm. */
const PRIVATE = {
  root: 'planted-root-7b1',
  outside: 'planted-outside-7b2',
  argument: 'planted-argument-7b3',
  trace: 'planted-trace-7b4',
} as const;

/** An MCP server that tells everybody all that it was given: by its name and its tools, as noise, as errors, and when it ends. */
const BLABBER = `
import { createInterface } from 'node:readline';
const [how] = process.argv.slice(2);
const all = JSON.stringify(process.env);
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
process.stdout.write('noise ' + all + '\\n');
process.stderr.write('noise ' + all + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (how === 'refuses') return say({ id, error: { code: -32603, message: 'no: ' + all } });
  if (how === 'dies') process.exit(7);
  const serverInfo = { name: 'my env is ' + process.env.KEY, version: process.env.KEY };
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return say({ id, result: { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo, instructions: all } });
  }
  say({ method: 'notifications/message', params: { level: 'error', data: all } });
  if (method === 'tools/list') {
    return say({ id, result: { tools: [{ name: 'tell', description: all, inputSchema: { type: 'object' } }] } });
  }
  // What the agent is answered is part of the transcript by right.
  say({ id, result: { content: [] } });
});
`;

let base: string;
let reeve: SpawnedReeve;
let api: Reeve;
let remote: Server;
/** Requests of Reeve to the remote server, and to where that sends it. */
const contacted: { readonly url: string; readonly authorization: string; readonly key: string }[] = [];
const at = (name: string): string => join(base, name);
const seen: string[] = [];

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-secrets-')));
  for (const name of [PRIVATE.root, PRIVATE.outside]) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), 'file.txt'), 'text');
  }
  writeFileSync(at('blabber.mjs'), BLABBER);
  remote = createServer(async (request, response) => {
    const body = await text(request);
    const { authorization = '', 'x-api-key': key = '' } = request.headers;
    contacted.push({ url: request.url ?? '', authorization, key: String(key) });
    const all = JSON.stringify([request.url, request.headers]);
    if (request.url?.startsWith('/errors')) return response.writeHead(500).end(all);
    const { id, method, params } = JSON.parse(body === '' ? '{}' : body);
    response.setHeader('content-type', 'application/json');
    if (method === 'initialize') {
      const serverInfo = { name: String(key), version: authorization };
      const { protocolVersion } = params;
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo };
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    if (id === undefined) return response.writeHead(request.method === 'GET' ? 405 : 202).end();
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [], tools: [] } }));
  }).listen(0, '127.0.0.1');
  await once(remote, 'listening');
  const fake = { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } };
  const config = {
    log: { level: 'trace' },
    sandbox: {},
    agents: { fake },
    defaultAgent: 'fake',
    limits: { mcpRestarts: 1 },
    timeouts: { mcpBackoffMs: 200, mcpProbeMs: 500, mcpStartMs: 10_000 },
  };
  reeve = await startReeve({ config, dataDir: at('data') });
  api = connectReeve(reeve);
}, SLOW_MS);
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  remote?.close();
  rmSync(base, { recursive: true, force: true });
});

function declared(): readonly object[] {
  const env = [{ name: 'KEY', value: SECRETS.env }];
  const started = (name: string, ...args: readonly string[]) => ({ name, command: process.execPath, args, env });
  const origin = `127.0.0.1:${(remote.address() as AddressInfo).port}`;
  const reached = (name: string) => ({
    type: 'http',
    name,
    url: `http://${SECRETS.user}:${SECRETS.password}@${origin}/${name}?token=${SECRETS.query}#${SECRETS.query}`,
    headers: [{ name: 'X-Api-Key', value: SECRETS.header }],
  });
  return [
    started('files', FILESYSTEM, at(PRIVATE.root)),
    started('tells', at('blabber.mjs'), 'tells'),
    started('refuses', at('blabber.mjs'), 'refuses'),
    started('dies', at('blabber.mjs'), 'dies'),
    reached('answers'),
    reached('errors'),
  ];
}

async function states(session: string): Promise<Record<string, string>> {
  const { servers } = await api.servers.list({ session });
  return Object.fromEntries(servers.map(({ name, state }) => [name, state]));
}

async function approveAll(session: string): Promise<void> {
  for (const { id } of await api.requests.list({ session })) {
    await api.requests.answer(id, { decision: 'approve', scope: 'session' });
  }
}

/** Has the agent call a tool, and say what came of it. */
async function call(session: string, server: string, name: string, given: object): Promise<void> {
  const traceparent = `00-${PRIVATE.trace}`;
  const params = { name, arguments: given, _meta: { traceparent, tracestate: PRIVATE.trace } };
  const { text: said = '' } = await api.sessions.prompt(session, {
    prompt: script({ mcp: { server, method: 'tools/call', params } }),
  });
  if (server === 'files') seen.push(said);
}

/** Everything that the control API tells. */
async function overHttp(session: string): Promise<string> {
  const of = `sessions/${session}`;
  const paths = [
    ...['sessions', 'servers', 'grants', 'requests?state=all', 'alarms', 'audit?limit=1000', 'agents', 'sandbox', of],
    ...[
      'audit/export',
      'audit/export?format=ocsf',
      `${of}/boundary`,
      `${of}/events?limit=1000`,
      'policies',
      'workspaces',
    ],
  ];
  const answers = paths.map(async (path) => {
    const response = await fetch(`${reeve.url}/v1/${path}`, { headers: { authorization: `Bearer ${reeve.token}` } });
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  });
  const told = (await api.servers.list({ session })).servers.map(async ({ name }) => {
    return JSON.stringify(await api.servers.show(session, name));
  });
  return (await Promise.all([...answers, ...told])).join('\n');
}

function onDisk(): string {
  const files = readdirSync(at('data'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}

it('keeps the secrets of servers that tell everybody, and of a session what is its own', {
  timeout: SLOW_MS,
}, async () => {
  const { session } = await api.sessions.create({ cwd: at(PRIVATE.root), mcpServers: declared() });
  const { sessionId } = session;
  await expect.poll(async () => new Set(Object.values(await states(sessionId))), SOON).toEqual(new Set(['waiting']));
  await approveAll(sessionId);
  await call(sessionId, 'files', 'write_file', { path: join(at(PRIVATE.root), 'new'), content: PRIVATE.argument });
  await call(sessionId, 'files', 'read_text_file', { path: join(at(PRIVATE.outside), 'file.txt') });
  await call(sessionId, 'files', 'no_such_tool', { [PRIVATE.argument]: PRIVATE.argument });
  for (const name of ['refuses', 'dies', 'errors', 'tells', 'answers']) {
    await call(sessionId, name, 'tell', { path: `${at(PRIVATE.outside)}/x`, text: PRIVATE.argument });
  }
  await approveAll(sessionId);
  await expect
    .poll(() => states(sessionId), SOON)
    .toMatchObject({ files: 'running', tells: 'running', refuses: 'failed', dies: 'failed' });
  expect(contacted).toContainEqual({
    url: `/answers?token=${SECRETS.query}`,
    authorization: `Basic ${Buffer.from(`${SECRETS.user}:${SECRETS.password}`).toString('base64')}`,
    key: SECRETS.header,
  });
  expect(seen.join('\n')).toContain('Reeve did not pass this call on');

  const log = reeve.stderr();
  const http = await overHttp(sessionId);
  await reeve.kill('SIGKILL');
  const afterKill = onDisk();
  reeve = await reeve.restart();
  api = connectReeve(reeve);
  const told = { log, http, afterKill, again: await overHttp(sessionId), written: onDisk(), newLog: reeve.stderr() };
  // What may be told is found in the same way.
  expect(told.http).toContain(at(PRIVATE.root));
  expect(told.afterKill).toContain('blabber.mjs');

  const leaks = Object.entries(SECRETS).flatMap(([kind, secret]) =>
    Object.entries(told).flatMap(([where, said]) => around(said, secret).map((what) => ({ kind, where, what }))),
  );
  expect(leaks).toEqual([]);

  const audit = (await Array.fromAsync(api.audit.export())).join('\n');
  const ocsf = (await Array.fromAsync(api.audit.export({ format: 'ocsf' }))).join('\n');
  const alarms = JSON.stringify(await api.alarms({ session: sessionId }));
  expect(alarms).toContain('read_text_file');
  const exposed = Object.entries(PRIVATE).flatMap(([kind, secret]) =>
    Object.entries({ log, newLog: told.newLog, audit, ocsf, alarms }).flatMap(([where, said]) =>
      around(said, secret).map((what) => ({ kind, where, what })),
    ),
  );
  expect(exposed).toEqual([]);
});

/** Where a text stands in another one, with what is around it; at most three. */
function around(said: string, secret: string): string[] {
  return said
    .split(secret)
    .slice(0, -1)
    .slice(0, 3)
    .map((before) => before.slice(-160));
}
