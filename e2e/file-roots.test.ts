import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
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
import { type CliRun, runCli } from '../apps/cli/src/cli.rig.ts';
import { SHELL_AGENT } from './shell-agent.ts';

const top = resolve(import.meta.dirname, '..');
/** Processes are started, in sandboxes. */
const SLOW_MS = 120_000;
const SOON = { timeout: 60_000, interval: 100 } as const;

/** An MCP server that reads whatever it is asked to, and tells the roots that it is told. */
const SERVER = `
const { readFileSync } = require('node:fs');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const asked = new Map();
const say = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });
const tool = (name) => ({ name, inputSchema: { type: 'object', properties: { path: { type: 'string' } } } });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return say(asked.get(id), result.roots.map(({ uri }) => uri).join(' '));
  if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'reader', version: '1' } } });
  if (method === 'tools/list') return send({ id, result: { tools: [tool('read'), tool('roots')] } });
  if (method !== 'tools/call') return id === undefined ? undefined : send({ id, result: {} });
  if (params.name === 'roots') { asked.set('r' + id, id); return send({ id: 'r' + id, method: 'roots/list' }); }
  try { say(id, readFileSync(params.arguments.path, 'utf8')); } catch (error) { say(id, error.code); }
});`;

let base: string;
let reeve: SpawnedReeve;
let api: Reeve;
const at = (name: string): string => join(base, name);
const text = (name: string): string => readFileSync(at(name), 'utf8');

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-file-roots-')));
  for (const name of ['project', 'outside', 'home', 'programs']) mkdirSync(at(name));
  const programs = { 'agent.cjs': SHELL_AGENT, 'server.cjs': SERVER };
  for (const [name, source] of Object.entries(programs)) writeFileSync(at(`programs/${name}`), source);
  const shell = {
    command: process.execPath,
    args: [at('programs/agent.cjs')],
    sandbox: { readOnly: [at('programs')], network: 'none' },
  };
  // It is not shown its own files unless told: they are of this repository.
  const fake = { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } };
  reeve = await startReeve({
    config: {
      sandbox: {},
      agents: { shell, fake },
      defaultAgent: 'shell',
      workspaces: {
        noted: {
          roots: [
            { path: at('project'), access: 'rw' },
            { path: at('outside/notes.txt'), access: 'ro' },
          ],
        },
      },
    },
    env: { HOME: at('home') },
  });
  api = connectReeve(reeve);
}, SLOW_MS);
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  writeFileSync(at('outside/notes.txt'), 'notes');
  writeFileSync(at('outside/beside.txt'), 'canary');
});

const cli = (...args: readonly string[]): Promise<CliRun> =>
  runCli(args, { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base });

async function told(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(...args);
  if (code !== 0) throw new Error(`reeve ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout + stderr;
}

async function open(access: 'ro' | 'rw' | undefined, more: object = {}): Promise<string> {
  const file = access === undefined ? [] : [{ path: at('outside/notes.txt'), access }];
  const boundary = { roots: [{ path: at('project'), access: 'rw' }, ...file] };
  const { session } = await api.sessions.create({ cwd: at('project'), metadata: { boundary }, ...more });
  return session.sessionId;
}

/** What the agent prints that runs this in its sandbox. */
async function run(session: string, prompt: string): Promise<string> {
  return (await api.sessions.prompt(session, { prompt })).text ?? '';
}

describe('a single file as a root', { timeout: SLOW_MS }, () => {
  it.each(['ro', 'rw'] as const)(
    'is all that an agent sees of its directory, and has its own access: %s',
    async (access) => {
      const session = await open(access);
      const seen = await run(
        session,
        `cd ../outside; ls -A; cat notes.txt beside.txt; echo more >>notes.txt; echo x >new.txt; mv notes.txt moved.txt`,
      );
      expect(seen).toMatch(/^notes\.txt\nnotes/);
      expect(seen).not.toContain('canary');
      expect(seen).toMatch(/beside\.txt: No such file/);
      expect(text('outside/notes.txt')).toBe(access === 'rw' ? 'notesmore\n' : 'notes');
      expect(readdirSync(at('outside')).toSorted()).toEqual(['beside.txt', 'notes.txt']);
      const shown = await api.boundaries.show(session);
      expect(shown.roots).toContainEqual({ path: at('outside/notes.txt'), access, kind: 'file' });
      expect((await api.sessions.show(session)).enforcement).toMatchObject({ backend: 'bubblewrap', fs: 'enforced' });
      await api.sessions.close(session);
    },
  );

  it('is given to a session that runs and taken from it again, at the command line', async () => {
    const session = await open(undefined);
    const file = at('outside/notes.txt');
    expect(await run(session, `cat ${file}`)).toContain('No such file');
    await told('roots', 'approve', `${file}:rw`, '--session', session);
    expect(await told('roots', 'check', file, '--session', session)).toMatch(/agent +may read and write it/);
    expect((await cli('roots', 'check', at('outside/beside.txt'), '--session', session)).code).toBe(5);
    expect(await run(session, `echo more >>${file}; cat ${file}`)).toBe('notesmore\n');
    await told('roots', 'revoke', file, '--session', session);
    expect(await run(session, `cat ${file}; ls -A ${at('outside')}`)).toMatch(/No such file.*\n.*No such file/);
    await api.sessions.close(session);
  });

  it('is lost when another file takes its place, and is seen as it is once it is named again', async () => {
    const session = await open('rw');
    const file = at('outside/notes.txt');
    expect(await run(session, `cat ${file}`)).toBe('notes');
    writeFileSync(at('outside/next'), 'replaced');
    renameSync(at('outside/next'), file);
    await expect.poll(async () => (await api.boundaries.show(session)).lost, SOON).toEqual([file]);
    const run1 = await cli('roots', 'check', file, '--session', session);
    expect([run1.code, run1.stderr]).toEqual([5, expect.stringContaining('replaced')]);
    expect(await run(session, `cat ${file}; echo x >>${file}`)).toBe('notes');
    expect(text('outside/notes.txt')).toBe('replaced');
    await told('roots', 'approve', `${file}:rw`, '--session', session);
    expect(await run(session, `cat ${file}`)).toBe('replaced');
    await api.sessions.close(session);
  });

  it('is told to an MCP server as the URI of the file, which sees it and nothing beside it until it is taken away', async () => {
    const server = { name: 'reader', command: process.execPath, args: [at('programs/server.cjs')], env: [] };
    const session = await open('ro', { agent: 'fake', mcpServers: [server] });
    const file = at('outside/notes.txt');
    await expect.poll(async () => (await api.requests.list({ session })).length, SOON).toBe(1);
    const shown = await told('requests', 'show', (await api.requests.list({ session }))[0]?.id ?? '');
    expect(shown).toContain('outside/notes.txt (read only');
    await told('servers', 'approve', 'reader', '--session', session);
    const call = (name: string, path = '') =>
      run(session, script({ mcp: { server: 'reader', method: 'tools/call', params: { name, arguments: { path } } } }));
    await expect.poll(() => call('roots'), SOON).toContain(`file://${file}`);
    expect(await call('read', file)).toContain('notes');
    expect(await call('read', at('outside/beside.txt'))).toContain('The root that would be needed is');
    await told('roots', 'revoke', file, '--session', session);
    expect(await call('read', file)).toContain('The root that would be needed is');
    expect(await call('roots')).not.toContain('outside');
    await api.sessions.close(session);
  });

  it('may be one of a workspace, can be looked at before, and is no place to work in', async () => {
    const { session } = await api.sessions.create({ cwd: at('project'), metadata: { workspace: 'noted' } });
    expect(await run(session.sessionId, `cat ${at('outside/notes.txt')}`)).toBe('notes');
    await api.sessions.close(session.sessionId);
    expect((await api.workspaces.directories('noted')).directories.map(({ path }) => path)).toEqual([at('project')]);

    const file = at('outside/notes.txt');
    writeFileSync(at('home/list.txt'), 'milk');
    const open1 = await open(undefined);
    const checked = await cli('roots', 'check', at('home/list.txt'), '--session', open1);
    expect([checked.code, checked.stderr]).toEqual([
      5,
      expect.stringMatching(
        /high risk: home directory[\s\S]*Give that file alone: reeve roots approve \S+list\.txt:ro/,
      ),
    ]);
    await told('roots', 'approve', `${at('home/list.txt')}:ro`, '--session', open1);
    expect(await run(open1, `cat ~/list.txt; ls ~`)).toBe('milklist.txt\n');
    await told('roots', 'revoke', at('home/list.txt'), '--session', open1);
    expect(await run(open1, `cat ~/list.txt`)).not.toContain('milk');
    await api.sessions.close(open1);

    const preview = await told('roots', 'preview', at('project'), `${file}:ro`);
    expect(preview).toContain(file);
    const refused = await cli('roots', 'preview', file);
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([
      1,
      expect.stringMatching(/no directory[\s\S]*holds it/),
    ]);
    const roots = [
      { path: at('project'), access: 'rw' as const },
      { path: file, access: 'ro' as const },
    ];
    await expect(api.sessions.create({ cwd: file, metadata: { boundary: { roots } } })).rejects.toThrow(
      /cwd.*directory/,
    );
    const additionalDirectories = [file];
    await expect(api.sessions.create({ cwd: at('project'), additionalDirectories })).rejects.toThrow(
      /additionalDirectories/,
    );
  });
});
