import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectReeve, type Reeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../apps/cli/src/cli.rig.ts';
import { readLog } from './control-calls.ts';
import { SHELL_AGENT } from './shell-agent.ts';

/** Processes are started, in sandboxes. */
const SLOW_MS = 120_000;
const SOON = { timeout: 30_000, interval: 50 } as const;

const top = resolve(import.meta.dirname, '..');

/** An MCP server that appends to what it is asked to, says why not, and tells its process. */
const SERVER = `
const { appendFileSync } = require('node:fs');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const say = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });
const tool = { name: 'append', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'writer', version: '1' } } });
  if (method === 'tools/list') return send({ id, result: { tools: [tool] } });
  if (method !== 'tools/call') return id === undefined ? undefined : send({ id, result: {} });
  try { appendFileSync(params.arguments.path, 'evil'); say(id, 'written'); } catch (error) { say(id, error.code); }
});`;

let base: string;
let reeve: SpawnedReeve;
let api: Reeve;
const at = (name: string): string => join(base, name);

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-lost-protection-')));
  for (const name of ['home', 'programs', 'state']) mkdirSync(at(name));
  writeFileSync(at('programs/agent.cjs'), SHELL_AGENT);
  writeFileSync(at('programs/server.cjs'), SERVER);
  writeFileSync(at('state/settings.json'), '{}');
  const shell = {
    command: process.execPath,
    args: [at('programs/agent.cjs')],
    sandbox: {
      readOnly: [at('programs'), at('state/settings.json')],
      state: [at('state')],
      network: 'none',
    },
  };
  // It is not shown its own files unless told: they are of this repository.
  const fake = { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } };
  const config = { sandbox: {}, agents: { shell, fake }, defaultAgent: 'shell', timeouts: { rootCheckMs: 600_000 } };
  reeve = await startReeve({ config, env: { HOME: at('home') } });
  api = connectReeve(reeve);
}, SLOW_MS);
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  for (const name of ['project', 'away', 'next']) rmSync(at(name), { recursive: true, force: true });
  for (const name of ['project/.git', 'project/.vscode', 'next']) mkdirSync(at(name), { recursive: true });
  for (const name of ['project/.git/config', 'project/.vscode/tasks.json', 'next/config', 'next/tasks.json'])
    writeFileSync(at(name), '{}\n');
});

async function open(more: readonly object[] = []): Promise<string> {
  const boundary = { roots: [{ path: at('project'), access: 'rw' }, ...more] };
  const { session } = await api.sessions.create({ cwd: at('project'), metadata: { boundary } });
  return session.sessionId;
}

/** What the agent prints that runs this in its sandbox, or why there is none. */
async function run(session: string, prompt: string): Promise<string> {
  return api.sessions.prompt(session, { prompt }).then(({ text = '' }) => text, String);
}

const enforcement = async (session: string) => (await api.sessions.show(session)).enforcement;
const notes = async (session: string, type: string) =>
  (await readLog(reeve, session))
    .map(({ message }) => message as { type?: unknown })
    .filter((note) => note.type === type);
const losses = async (session: string) => (await api.audit.list({ session, kind: 'root.lost' })).records;

describe('what an agent cannot write in its read-write root', { timeout: SLOW_MS }, () => {
  it.each<[string, string, () => void]>([
    ['.git/config', '.git/config', () => renameSync(at('next/config'), at('project/.git/config'))],
    [
      '.vscode',
      '.vscode/tasks.json',
      () => {
        renameSync(at('project/.vscode'), at('away'));
        renameSync(at('next'), at('project/.vscode'));
      },
    ],
  ])(
    'is told as a gap when somebody outside replaces %s, and is protected again from the next turn on',
    async (name, file, replace) => {
      const session = await open();
      expect(await run(session, `echo evil >>${file}`)).toContain('Read-only file system');
      expect(await enforcement(session)).toMatchObject({ fs: 'enforced' });
      const turn = run(
        session,
        `touch begun; while [ ! -e go ]; do sleep 0.05; done; echo written >>${file}; echo done`,
      );
      await expect.poll(() => existsSync(at('project/begun')), SOON).toBe(true);
      replace();
      const gap = `files: "${at(`project/${name}`)}" was replaced from outside`;
      await expect
        .poll(() => enforcement(session), SOON)
        .toMatchObject({ fs: 'partial', gaps: expect.arrayContaining([expect.stringContaining(gap)]) });
      writeFileSync(at('project/go'), '');
      expect(await turn).toBe('done\n');
      expect(readFileSync(at(`project/${file}`), 'utf8')).toContain('written');
      expect(await notes(session, 'protection_lost')).toMatchObject([{ path: at(`project/${name}`), how: 'replaced' }]);
      const records = await losses(session);
      expect(records).toMatchObject([{ facts: { how: 'replaced' } }]);
      expect(JSON.stringify(records)).not.toContain(at('project'));

      expect(await run(session, `echo evil >>${file}`)).toContain('Read-only file system');
      expect(await enforcement(session)).toMatchObject({ fs: 'enforced' });
      expect(await notes(session, 'agent_replaced')).toMatchObject([
        { why: expect.stringContaining('replaced from outside') },
      ]);
      expect(readFileSync(at(`project/${file}`), 'utf8')).not.toContain('evil');
      await api.sessions.close(session);
    },
  );

  it('is protected in the very next turn where it was replaced between two, and told where it was deleted', async () => {
    const session = await open();
    expect(await run(session, 'echo evil >>.git/config')).toContain('Read-only file system');
    renameSync(at('next/config'), at('project/.git/config'));
    expect(await run(session, 'echo evil >>.git/config')).toContain('Read-only file system');
    expect(await losses(session)).toHaveLength(1);
    rmSync(at('project/.vscode'), { recursive: true });
    await run(session, 'true');
    expect(await notes(session, 'protection_lost')).toMatchObject([{ how: 'replaced' }, { how: 'deleted' }]);
    await api.sessions.close(session);
  });

  it('is looked after in what it keeps as well, where its own settings are', async () => {
    const session = await open();
    const write = `echo evil >>${at('state/settings.json')}; echo login >${at('state/login')}`;
    expect(await run(session, write)).toContain('Read-only file system');
    renameSync(at('next/config'), at('state/settings.json'));
    expect(await run(session, write)).toContain('Read-only file system');
    expect(await notes(session, 'protection_lost')).toMatchObject([{ path: at('state/settings.json') }]);
    expect(existsSync(at('state/login'))).toBe(true);
    await api.sessions.close(session);
  });

  it('is protected again from an MCP server, which is started again at once', async () => {
    const server = { name: 'writer', command: process.execPath, args: [at('programs/server.cjs')], env: [] };
    const boundary = { roots: [{ path: at('project'), access: 'rw' }] };
    const created = await api.sessions.create({
      cwd: at('project'),
      agent: 'fake',
      mcpServers: [server],
      metadata: { boundary },
    });
    const session = created.session.sessionId;
    await expect.poll(async () => (await api.requests.list({ session })).length, SOON).toBe(1);
    const env = { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base };
    expect((await runCli(['servers', 'approve', 'writer', '--session', session], env)).code).toBe(0);
    const params = { name: 'append', arguments: { path: at('project/.git/config') } };
    const call = () => run(session, script({ mcp: { server: 'writer', method: 'tools/call', params } }));
    await expect.poll(call, SOON).toContain('EROFS');
    renameSync(at('next/config'), at('project/.git/config'));
    await expect
      .poll(async () => (await notes(session, 'protection_lost')).filter((note) => 'server' in note), SOON)
      .toMatchObject([{ server: 'writer', path: at('project/.git/config'), how: 'replaced' }]);
    await expect.poll(call, SOON).toContain('EROFS');
    expect(readFileSync(at('project/.git/config'), 'utf8')).toBe('{}\n');
    const again = (await notes(session, 'mcp_server')).map((note) => (note as { lastError?: string }).lastError ?? '');
    expect(again).toContainEqual(expect.stringContaining('replaced from outside'));
    await api.sessions.close(session);
  });

  it('keeps the agent from going on where it is a root of its own, until somebody names that again', async () => {
    mkdirSync(at('project/vendor'));
    const session = await open([{ path: at('project/vendor'), access: 'ro' }]);
    expect(await run(session, 'touch vendor/evil')).toContain('Read-only file system');
    renameSync(at('project/vendor'), at('away'));
    mkdirSync(at('project/vendor'));
    expect(await run(session, 'touch vendor/evil')).toMatch(/vendor" was replaced.*approve it again/);
    expect(await losses(session)).toHaveLength(1);
    await api.boundaries.set(session, {
      roots: [
        { path: at('project'), access: 'rw' },
        { path: at('project/vendor'), access: 'ro' },
      ],
    });
    expect(await run(session, 'touch vendor/evil')).toContain('Read-only file system');
    await api.sessions.close(session);
  });
});
