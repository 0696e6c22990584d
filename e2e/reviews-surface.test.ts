import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { filesServer, openFilesLab } from './files-lab.ts';
import { SLOW_MS, STARTED } from './reeve-lab.ts';

const lab = await openFilesLab(['project', 'one', 'two', 'outside']);
afterAll(() => lab[Symbol.asyncDispose]());
const { api, at, base, cli, told, open, stateOf, read } = lab;

/** It may be told of any of our directories. */
const files = (variable: string, value?: string) =>
  filesServer(['project', 'one', 'two', 'outside'].map(at), variable, value);

/** The only request of the session, once it has just one. */
function waits(session: string): Promise<string> {
  return vi.waitFor(async () => {
    const [only, ...others] = await api.requests.list({ session });
    if (!only || others.length > 0) throw new Error(`${others.length + (only ? 1 : 0)} requests wait`);
    return only.id;
  }, STARTED);
}

/** The directories of ours that a process with this variable has mounted; undefined while none runs. */
function mountedFor(variable: string): readonly string[] | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${variable}=planted`)) continue;
      const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
      const ours = mounts.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${base}/`));
      if (ours.length > 0) return [...new Set(ours)].toSorted();
    } catch {
      // It has ended meanwhile.
    }
  }
  return undefined;
}

describe('the review of a server, at the command line', { timeout: SLOW_MS }, () => {
  it('shows what it gets without asking, what it may reach and which variables it has; all of it can be left out', async () => {
    const session = await open(['project', 'one'], files('TOKEN'));
    const id = await waits(session);
    const shown = await told('requests', 'show', id);
    expect(shown).toMatch(/root +\S+\/one \(read and write: outside project\)/);
    expect(shown).toMatch(
      /root +\S+\/project \(read and write; given without asking, by project-to-confined-servers\)/,
    );
    expect(shown).toMatch(/network +nothing/);
    expect(shown).toMatch(/variables +TOKEN/);
    expect(shown).not.toContain('planted');
    await told('requests', 'answer', id, '--approve', '--root', `${at('one')}:ro`);
    expect(await read(session, join(at('one'), 'file.txt'))).toBe('in one');
    expect(await read(session, join(at('project'), 'file.txt'))).toContain('Reeve did not pass this call on');
    await api.sessions.close(session);
  });

  it('is none for a server whose variables have other code run than it shows', async () => {
    const session = await open(['project'], files('NODE_OPTIONS', '--require ./x.js'));
    await expect.poll(() => stateOf(session), STARTED).toBe('refused');
    const shown = await told('servers', 'show', 'files', '--session', session);
    expect(shown).toMatch(/"NODE_OPTIONS" other code may run[\s\S]*env NAME=value/);
    expect(await api.requests.list({ session })).toEqual([]);
    await api.sessions.close(session);
  });

  it('is not answered by a word about one of its roots', async () => {
    const session = await open(['project', 'one', 'two'], files('APART'));
    const id = await waits(session);
    for (const command of ['approve', 'deny']) {
      const run = await cli('roots', command, at('one'), '--session', session);
      expect([run.code, run.stderr]).toEqual([
        1,
        expect.stringMatching(/"files" itself waits[\s\S]*next: .*reeve requests answer/),
      ]);
    }
    expect([await waits(session), await stateOf(session)]).toEqual([id, 'waiting']);
    await api.sessions.close(session);
  });

  it('starts it with the roots of the very answer, before an agent has opened it', async () => {
    const session = await open(['project', 'one'], files('WHOLE'));
    await waits(session);
    await told('servers', 'approve', 'files', '--session', session);
    await expect.poll(() => mountedFor('WHOLE'), STARTED).toEqual([at('one'), at('project')]);
    const { servers } = await api.boundaries.show(session);
    expect(servers[0]?.roots.map(({ access }) => access)).toEqual(['rw', 'rw']);
    const exposed = (await api.sessions.events(session)).events.filter((event) =>
      JSON.stringify(event).includes('root_exposed'),
    );
    expect(exposed).toHaveLength(1);
    await api.sessions.close(session);
  });

  it('speaks of no root that the command line of the server leaves out; it is said to have none of it', async () => {
    const narrow = filesServer([at('project')], 'NARROW');
    const session = await open(['project', 'one'], narrow);
    expect(await told('requests', 'show', await waits(session))).not.toContain(at('one'));
    await told('servers', 'approve', 'files', '--session', session);
    await expect.poll(() => mountedFor('NARROW'), STARTED).toEqual([at('project')]);
    const { servers } = await api.boundaries.show(session);
    expect(servers[0]?.roots).toMatchObject([{ access: 'rw' }, { state: 'denied', access: 'none' }]);
    const asked = await cli('roots', 'request', at('one'), '--server', 'files', '--session', session);
    expect([asked.code === 0, asked.stderr]).toEqual([false, expect.stringContaining('command line names only')]);
    expect(await api.requests.list({ session })).toEqual([]);
    await api.sessions.close(session);
  });

  it('comes back after it was forgotten while it asks for a root', async () => {
    const session = await open(['project', 'one'], files('FORGOTTEN'));
    const roots = [{ path: at('project'), access: 'rw' as const }];
    await api.requests.answer(await waits(session), { decision: 'approve', scope: 'always', roots, others: 'ask' });
    await expect.poll(() => mountedFor('FORGOTTEN'), STARTED).toEqual([at('project')]);
    expect(await told('requests', 'ls', '--session', session)).toContain('may the MCP server "files" have');
    await told('servers', 'forget', 'files', '--session', session);
    await expect.poll(() => stateOf(session), STARTED).toBe('waiting');
    expect(await told('servers', 'approve', 'files', '--session', session)).toContain('approved files');
    expect(await read(session, join(at('one'), 'file.txt'))).toBe('in one');
    await api.sessions.close(session);
  });
});

describe('roots, at the command line', { timeout: SLOW_MS }, () => {
  let session: string;
  beforeAll(async () => {
    session = await open(['project', 'one', 'two'], files('ROOTS'));
    await told('requests', 'answer', await waits(session), '--approve', '--root', `${at('project')}:rw`);
  }, SLOW_MS);

  it('are answered one by one: what else is asked goes on waiting, and is told', async () => {
    await told('servers', 'forget', 'files', '--session', session);
    const id = await waits(session);
    await api.requests.answer(id, { decision: 'approve', roots: [], others: 'ask' });
    const said = await told('roots', 'approve', `${at('one')}:ro`, '--session', session);
    expect(said).toMatch(/approved \S+\/one \(ro\) for "files": request[\s\S]*"files" still asks for \S+\/two/);
    expect(await read(session, join(at('one'), 'file.txt'))).toBe('in one');
    const grants = await api.grants.list({ session });
    expect(grants.map(({ path, decision }) => [path, decision])).toEqual([[at('one'), 'allow']]);
    expect(await told('roots', 'deny', at('two'), '--session', session)).toContain('denied');
    expect(await api.requests.list({ session })).toEqual([]);
  });

  it('are said to become the agent’s where they are none of the session, and counted as was asked', async () => {
    const { requests } = JSON.parse(
      await told(
        'roots',
        'request',
        `${at('outside')}:ro`,
        '--session',
        session,
        '--scope',
        'project',
        '--expires',
        '10m',
        '--json',
      ),
    ) as { requests: readonly { request: string }[] };
    const id = requests[0]?.request ?? '';
    const shown = await told('requests', 'show', id);
    expect(shown).toMatch(/outside \(read only: outside project; the session and its agent get it too/);
    expect(shown).toMatch(/asked for +every session of this project, until \d{4}-/);
    expect(await told('requests', 'ls', '--session', session)).toContain('"files", and the agent, have');
    const more = await cli('requests', 'answer', id, '--approve', '--scope', 'always');
    expect([more.code, more.stderr]).toEqual([1, expect.stringContaining('session, project')]);
    expect(await told('roots', 'approve', at('outside'), '--session', session)).toContain(
      'and for the session and its agent',
    );
    const grant = (await api.grants.list({ scope: 'project' })).find(({ path }) => path === at('outside'));
    expect(grant?.expiresAt).toBeGreaterThan(Date.now());
    expect(grant?.expiresAt).toBeLessThan(Date.now() + 600_000);
    expect((await api.boundaries.show(session)).roots).toContainEqual({ path: at('outside'), access: 'ro' });
  });
});
