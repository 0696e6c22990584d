import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { script } from '@reeve/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SLOW_MS, STARTED } from './reeve-lab.ts';
import { openShellLab, type ShellLab } from './shell-lab.ts';

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

let lab: ShellLab;
const text = (name: string): string => readFileSync(lab.at(name), 'utf8');

beforeAll(async () => {
  lab = await openShellLab({
    directories: ['project', 'outside'],
    programs: { 'server.cjs': SERVER },
    config: (at) => {
      const roots = [
        { path: at('project'), access: 'rw' },
        { path: at('outside/notes.txt'), access: 'ro' },
      ];
      return { workspaces: { noted: { roots } } };
    },
  });
}, SLOW_MS);
afterAll(() => lab?.[Symbol.asyncDispose]());
beforeEach(() => {
  writeFileSync(lab.at('outside/notes.txt'), 'notes');
  writeFileSync(lab.at('outside/beside.txt'), 'canary');
});

/** A session with the file as a root, or without it. */
function open(access: 'ro' | 'rw' | undefined, more: object = {}): Promise<string> {
  return lab.open(access === undefined ? [] : [{ path: lab.at('outside/notes.txt'), access }], more);
}

describe('a single file as a root', { timeout: SLOW_MS }, () => {
  it.each(['ro', 'rw'] as const)(
    'is all that an agent sees of its directory, and has its own access: %s',
    async (access) => {
      const session = await open(access);
      const seen = await lab.run(
        session,
        `cd ../outside; ls -A; cat notes.txt beside.txt; echo more >>notes.txt; echo x >new.txt; mv notes.txt moved.txt`,
      );
      expect(seen).toMatch(/^notes\.txt\nnotes/);
      expect(seen).not.toContain('canary');
      expect(seen).toMatch(/beside\.txt: No such file/);
      expect(text('outside/notes.txt')).toBe(access === 'rw' ? 'notesmore\n' : 'notes');
      expect(readdirSync(lab.at('outside')).toSorted()).toEqual(['beside.txt', 'notes.txt']);
      const shown = await lab.api.boundaries.show(session);
      expect(shown.roots).toContainEqual({ path: lab.at('outside/notes.txt'), access, kind: 'file' });
      expect(await lab.told('roots', 'ls', '--session', session)).toContain(`${access}, file`);
      expect(await lab.told('roots', 'show', lab.at('outside/notes.txt'), '--session', session)).toContain(
        `notes.txt (${access}, file)`,
      );
      expect(await lab.told('sessions', 'show', session)).toMatch(/notes\.txt \(read (only|and write), file\)/);
      expect((await lab.api.sessions.show(session)).enforcement).toMatchObject({
        backend: 'bubblewrap',
        fs: 'enforced',
      });
      await lab.api.sessions.close(session);
    },
  );

  it('is given to a session that runs and taken from it again, at the command line', async () => {
    const session = await open(undefined);
    const file = lab.at('outside/notes.txt');
    expect(await lab.run(session, `cat ${file}`)).toContain('No such file');
    await lab.told('roots', 'approve', `${file}:rw`, '--session', session);
    expect(await lab.told('roots', 'check', file, '--session', session)).toMatch(/agent +may read and write it/);
    expect((await lab.cli('roots', 'check', lab.at('outside/beside.txt'), '--session', session)).code).toBe(5);
    expect(await lab.run(session, `echo more >>${file}; cat ${file}`)).toBe('notesmore\n');
    await lab.told('roots', 'revoke', file, '--session', session);
    expect(await lab.run(session, `cat ${file}; ls -A ${lab.at('outside')}`)).toMatch(/No such file.*\n.*No such file/);
    await lab.api.sessions.close(session);
  });

  it('is lost when another file takes its place, and is seen as it is once it is named again', async () => {
    const session = await open('rw');
    const file = lab.at('outside/notes.txt');
    expect(await lab.run(session, `cat ${file}`)).toBe('notes');
    writeFileSync(lab.at('outside/next'), 'replaced');
    renameSync(lab.at('outside/next'), file);
    await expect.poll(async () => (await lab.api.boundaries.show(session)).lost, STARTED).toEqual([file]);
    const run1 = await lab.cli('roots', 'check', file, '--session', session);
    expect([run1.code, run1.stderr]).toEqual([5, expect.stringContaining('replaced')]);
    expect(await lab.run(session, `cat ${file}; echo x >>${file}`)).toBe('notes');
    expect(text('outside/notes.txt')).toBe('replaced');
    await lab.told('roots', 'approve', `${file}:rw`, '--session', session);
    expect(await lab.run(session, `cat ${file}`)).toBe('replaced');
    await lab.api.sessions.close(session);
  });

  it('is told to an MCP server as the URI of the file, which sees it and nothing beside it until it is taken away', async () => {
    const server = { name: 'reader', command: process.execPath, args: [lab.at('programs/server.cjs')], env: [] };
    const session = await open('ro', { agent: 'fake', mcpServers: [server] });
    const file = lab.at('outside/notes.txt');
    await expect.poll(async () => (await lab.api.requests.list({ session })).length, STARTED).toBe(1);
    const shown = await lab.told('requests', 'show', (await lab.api.requests.list({ session }))[0]?.id ?? '');
    expect(shown).toContain('outside/notes.txt (read only, file');
    await lab.told('servers', 'approve', 'reader', '--session', session);
    const call = (name: string, path = '') =>
      lab.run(
        session,
        script({ mcp: { server: 'reader', method: 'tools/call', params: { name, arguments: { path } } } }),
      );
    await expect.poll(() => call('roots'), STARTED).toContain(`file://${file}`);
    expect(await call('read', file)).toContain('notes');
    expect(await call('read', lab.at('outside/beside.txt'))).toContain('The root that would be needed is');
    await lab.told('roots', 'revoke', file, '--session', session);
    expect(await call('read', file)).toContain('The root that would be needed is');
    expect(await call('roots')).not.toContain('outside');
    await lab.api.sessions.close(session);
  });

  it('may be one of a workspace, can be looked at before, and is no place to work in', async () => {
    const { session } = await lab.api.sessions.create({ cwd: lab.at('project'), metadata: { workspace: 'noted' } });
    expect(await lab.run(session.sessionId, `cat ${lab.at('outside/notes.txt')}`)).toBe('notes');
    await lab.api.sessions.close(session.sessionId);
    expect((await lab.api.workspaces.directories('noted')).directories.map(({ path }) => path)).toEqual([
      lab.at('project'),
    ]);

    const file = lab.at('outside/notes.txt');
    writeFileSync(lab.at('home/list.txt'), 'milk');
    const open1 = await open(undefined);
    const checked = await lab.cli('roots', 'check', lab.at('home/list.txt'), '--session', open1);
    expect([checked.code, checked.stderr]).toEqual([
      5,
      expect.stringMatching(
        /high risk: home directory[\s\S]*Give that file alone: reeve roots approve \S+list\.txt:ro/,
      ),
    ]);
    await lab.told('roots', 'approve', `${lab.at('home/list.txt')}:ro`, '--session', open1);
    expect(await lab.run(open1, `cat ~/list.txt; ls ~`)).toBe('milklist.txt\n');
    await lab.told('roots', 'revoke', lab.at('home/list.txt'), '--session', open1);
    expect(await lab.run(open1, `cat ~/list.txt`)).not.toContain('milk');
    await lab.api.sessions.close(open1);

    const preview = await lab.told('roots', 'preview', lab.at('project'), `${file}:ro`);
    expect(preview).toContain(`${file}: read only; file`);
    const refused = await lab.cli('roots', 'preview', file);
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([
      1,
      expect.stringMatching(/no directory[\s\S]*holds it/),
    ]);
    const roots = [
      { path: lab.at('project'), access: 'rw' as const },
      { path: file, access: 'ro' as const },
    ];
    await expect(lab.api.sessions.create({ cwd: file, metadata: { boundary: { roots } } })).rejects.toThrow(
      /cwd.*directory/,
    );
    const additionalDirectories = [file];
    await expect(lab.api.sessions.create({ cwd: lab.at('project'), additionalDirectories })).rejects.toThrow(
      /additionalDirectories/,
    );
  });
});
