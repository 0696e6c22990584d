import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { script } from '@reeve/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readLog } from './control-calls.ts';
import { SLOW_MS } from './reeve-lab.ts';
import { openShellLab, type ShellLab } from './shell-lab.ts';

const SOON = { timeout: 30_000, interval: 50 } as const;

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

let lab: ShellLab;

beforeAll(async () => {
  lab = await openShellLab({
    directories: ['state'],
    programs: { 'server.cjs': SERVER },
    fill: (at) => writeFileSync(at('state/settings.json'), '{}'),
    sandbox: (at) => ({ readOnly: [at('state/settings.json')], state: [at('state')] }),
    config: () => ({ timeouts: { rootCheckMs: 600_000 } }),
  });
}, SLOW_MS);
afterAll(() => lab?.[Symbol.asyncDispose]());
beforeEach(() => {
  for (const name of ['project', 'away', 'next']) rmSync(lab.at(name), { recursive: true, force: true });
  for (const name of ['project/.git', 'project/.vscode', 'next']) mkdirSync(lab.at(name), { recursive: true });
  for (const name of ['project/.git/config', 'project/.vscode/tasks.json', 'next/config', 'next/tasks.json'])
    writeFileSync(lab.at(name), '{}\n');
});

const enforcement = async (session: string) => (await lab.api.sessions.show(session)).enforcement;
const notes = async (session: string, type: string) =>
  (await readLog(lab.reeve, session))
    .map(({ message }) => message as { type?: unknown })
    .filter((note) => note.type === type);
const losses = async (session: string) => (await lab.api.audit.list({ session, kind: 'root.lost' })).records;

describe('what an agent cannot write in its read-write root', { timeout: SLOW_MS }, () => {
  it.each<[string, string, () => void]>([
    ['.git/config', '.git/config', () => renameSync(lab.at('next/config'), lab.at('project/.git/config'))],
    [
      '.vscode',
      '.vscode/tasks.json',
      () => {
        renameSync(lab.at('project/.vscode'), lab.at('away'));
        renameSync(lab.at('next'), lab.at('project/.vscode'));
      },
    ],
  ])(
    'is told as a gap when somebody outside replaces %s, and is protected again from the next turn on',
    async (name, file, replace) => {
      const session = await lab.open();
      expect(await lab.run(session, `echo evil >>${file}`)).toContain('Read-only file system');
      expect(await enforcement(session)).toMatchObject({ fs: 'enforced' });
      const turn = lab.run(
        session,
        `touch begun; while [ ! -e go ]; do sleep 0.05; done; echo written >>${file}; echo done`,
      );
      await expect.poll(() => existsSync(lab.at('project/begun')), SOON).toBe(true);
      replace();
      const gap = `files: "${lab.at(`project/${name}`)}" was replaced from outside`;
      await expect
        .poll(() => enforcement(session), SOON)
        .toMatchObject({ fs: 'partial', gaps: expect.arrayContaining([expect.stringContaining(gap)]) });
      writeFileSync(lab.at('project/go'), '');
      expect(await turn).toBe('done\n');
      expect(readFileSync(lab.at(`project/${file}`), 'utf8')).toContain('written');
      expect(await notes(session, 'protection_lost')).toMatchObject([
        { path: lab.at(`project/${name}`), how: 'replaced' },
      ]);
      const records = await losses(session);
      expect(records).toMatchObject([{ facts: { how: 'replaced' } }]);
      expect(JSON.stringify(records)).not.toContain(lab.at('project'));

      expect(await lab.run(session, `echo evil >>${file}`)).toContain('Read-only file system');
      expect(await enforcement(session)).toMatchObject({ fs: 'enforced' });
      expect(await notes(session, 'agent_replaced')).toMatchObject([
        { why: expect.stringContaining('replaced from outside') },
      ]);
      expect(readFileSync(lab.at(`project/${file}`), 'utf8')).not.toContain('evil');
      await lab.api.sessions.close(session);
    },
  );

  it('is protected in the very next turn where it was replaced between two, and told where it was deleted', async () => {
    const session = await lab.open();
    expect(await lab.run(session, 'echo evil >>.git/config')).toContain('Read-only file system');
    renameSync(lab.at('next/config'), lab.at('project/.git/config'));
    expect(await lab.run(session, 'echo evil >>.git/config')).toContain('Read-only file system');
    expect(await losses(session)).toHaveLength(1);
    rmSync(lab.at('project/.vscode'), { recursive: true });
    await lab.run(session, 'true');
    expect(await notes(session, 'protection_lost')).toMatchObject([{ how: 'replaced' }, { how: 'deleted' }]);
    await lab.api.sessions.close(session);
  });

  it('is told once where it was not there at the start and was made since, also in a repository below', async () => {
    mkdirSync(lab.at('project/vendor/x/.git'), { recursive: true });
    writeFileSync(lab.at('project/vendor/x/.git/config'), '');
    const session = await lab.open();
    expect(await lab.run(session, 'echo x >>vendor/x/.git/config')).toContain('Read-only file system');
    const made = ['.git/commondir', 'vendor/x/.git/commondir'];
    await lab.run(session, `for path in ${made.join(' ')}; do echo evil >$path; done`);
    await lab.run(session, 'true');
    await lab.run(session, 'mkdir .claude');
    await lab.api.sessions.close(session);
    expect((await notes(session, 'protected_made')).map((note) => (note as { path?: unknown }).path)).toEqual(
      [...made, '.claude'].map((name) => lab.at(`project/${name}`)),
    );
  });

  it('is looked after in what it keeps as well, where its own settings are', async () => {
    const session = await lab.open();
    const write = `echo evil >>${lab.at('state/settings.json')}; echo login >${lab.at('state/login')}`;
    expect(await lab.run(session, write)).toContain('Read-only file system');
    renameSync(lab.at('next/config'), lab.at('state/settings.json'));
    expect(await lab.run(session, write)).toContain('Read-only file system');
    expect(await notes(session, 'protection_lost')).toMatchObject([{ path: lab.at('state/settings.json') }]);
    expect(existsSync(lab.at('state/login'))).toBe(true);
    await lab.api.sessions.close(session);
  });

  it('is protected again from an MCP server, which is started again at once', async () => {
    const server = { name: 'writer', command: process.execPath, args: [lab.at('programs/server.cjs')], env: [] };
    const session = await lab.open([], { agent: 'fake', mcpServers: [server] });
    await expect.poll(async () => (await lab.api.requests.list({ session })).length, SOON).toBe(1);
    await lab.told('servers', 'approve', 'writer', '--session', session);
    const params = { name: 'append', arguments: { path: lab.at('project/.git/config') } };
    const call = () => lab.run(session, script({ mcp: { server: 'writer', method: 'tools/call', params } }));
    await expect.poll(call, SOON).toContain('EROFS');
    renameSync(lab.at('next/config'), lab.at('project/.git/config'));
    await expect
      .poll(async () => (await notes(session, 'protection_lost')).filter((note) => 'server' in note), SOON)
      .toMatchObject([{ server: 'writer', path: lab.at('project/.git/config'), how: 'replaced' }]);
    await expect.poll(call, SOON).toContain('EROFS');
    expect(readFileSync(lab.at('project/.git/config'), 'utf8')).toBe('{}\n');
    const again = (await notes(session, 'mcp_server')).map((note) => (note as { lastError?: string }).lastError ?? '');
    expect(again).toContainEqual(expect.stringContaining('replaced from outside'));
    await lab.api.sessions.close(session);
  });

  it('keeps the agent from going on where it is a root of its own, until somebody names that again', async () => {
    mkdirSync(lab.at('project/vendor'));
    const session = await lab.open([{ path: lab.at('project/vendor'), access: 'ro' }]);
    expect(await lab.run(session, 'touch vendor/evil')).toContain('Read-only file system');
    renameSync(lab.at('project/vendor'), lab.at('away'));
    mkdirSync(lab.at('project/vendor'));
    expect(await lab.attempt(session, 'touch vendor/evil')).toMatch(/vendor" was replaced.*approve it again/);
    expect(await losses(session)).toHaveLength(1);
    await lab.api.boundaries.set(session, {
      roots: [
        { path: lab.at('project'), access: 'rw' },
        { path: lab.at('project/vendor'), access: 'ro' },
      ],
    });
    expect(await lab.run(session, 'touch vendor/evil')).toContain('Read-only file system');
    await lab.api.sessions.close(session);
  });
});
