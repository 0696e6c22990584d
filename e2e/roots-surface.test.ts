import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { filesServer, openFilesLab } from './files-lab.ts';
import { SLOW_MS, STARTED } from './reeve-lab.ts';

const lab = await openFilesLab(['project', 'one', 'unnamed', 'outside']);
afterAll(() => lab[Symbol.asyncDispose]());
const { api, at, cli, told, open, stateOf, read } = lab;
symlinkSync(at('one'), at('link'));

/** Its command line does not name `unnamed`. */
const files = (variable: string) => filesServer([at('project'), at('one')], variable);

async function asked(session: string): Promise<readonly string[]> {
  return (await api.requests.list({ session })).map(({ id }) => id);
}

describe('roots, at the command line', { timeout: SLOW_MS }, () => {
  it('are not said to be with a server whose command line leaves them out, nor asked for', async () => {
    const session = await open(['project', 'unnamed'], files('NAMES'));
    await expect.poll(() => asked(session), STARTED).toHaveLength(1);
    await told('servers', 'approve', 'files', '--session', session);
    const listed = await told('roots', 'ls', '--session', session);
    expect(listed).toMatch(/files +denied \* +none +\S+\/unnamed/);
    expect(listed).toMatch(/\* The server's command line names only/);
    const checked = await told('roots', 'check', join(at('unnamed'), 'file.txt'), '--session', session);
    expect(checked).toMatch(/files +may not use it \(outside what it has\)[\s\S]*next: .*command line names only/);
    expect(checked).not.toContain('roots request');
    const run = await cli('roots', 'request', at('unnamed'), '--session', session, '--server', 'files');
    expect([run.code === 0, run.stderr]).toEqual([false, expect.stringContaining('command line names only')]);
    expect(await asked(session)).toEqual([]);
    await api.sessions.close(session);
  });

  it('are not proposed where they would be of high risk, or none at all', async () => {
    const session = await open(['project']);
    for (const [path, words] of [
      ['/etc/passwd', /\/etc would be one of high risk: system directory[\s\S]*next: Copy .* administrator/],
      ['/proc/version', /\/proc can be none[\s\S]*next: Copy/],
      [join(at('home'), '.bashrc'), /high risk: home directory/],
    ] as const) {
      const run = await cli('roots', 'check', path, '--session', session);
      expect([run.code, run.stderr]).toEqual([5, expect.stringMatching(words)]);
      expect(run.stdout + run.stderr).not.toContain('roots approve');
    }
    const ordinary = await cli('roots', 'check', at('outside'), '--session', session);
    expect(ordinary.stderr).toContain(`roots approve ${at('outside')}:ro`);
    await api.sessions.close(session);
  });

  it('are refused in words about them, with a next step for each cause', async () => {
    const session = await open(['project']);
    for (const [root, words] of [
      ['/proc', /^reeve: \/proc cannot be a root: a place of the system, "\/proc"\n {2}next: Name the directory/],
      ['/', /^reeve: \/ cannot be a root: the whole file system\n {2}next: Name the directory/],
      [at('gone'), /\/gone cannot be a root: nothing there\n {2}next: Create/],
      [`${at('one')}:rx`, /"rx" is no access: it is ro .*\n {2}next: Write \S+\/one:ro or/],
      ['00000000-0000-4000-8000-000000000000', /cannot be a root: nothing there/],
    ] as const) {
      const { code, stderr } = await cli('roots', 'approve', root, '--session', session);
      expect([code === 0, stderr]).toEqual([false, expect.stringMatching(words)]);
      expect(stderr).not.toMatch(/data:|_meta|cwd/);
    }
    const grant = await cli('roots', 'revoke', '00000000-0000-4000-8000-000000000000');
    expect([grant.code, grant.stderr]).toEqual([1, expect.stringMatching(/there is no grant[\s\S]*roots ls/)]);
    await api.sessions.close(session);
  });

  it('are shown and taken away by a link to them too', async () => {
    const session = await open(['project', 'one']);
    expect(await told('roots', 'show', at('link'), '--session', session)).toContain(`${at('one')} (rw)`);
    const taken = await told('roots', 'revoke', `${at('link')}/`, '--session', session);
    expect(taken).not.toContain(at('one'));
    expect((await api.boundaries.show(session)).roots.map(({ path }) => path)).toEqual([at('project')]);
    await api.sessions.close(session);
  });

  it('are lost where they were moved, and are there again once they are named anew', async () => {
    mkdirSync(at('vol'));
    const session = await open(['project', 'vol']);
    await api.sessions.prompt(session, { prompt: 'Hello' });
    renameSync(at('vol'), at('vol2'));
    mkdirSync(at('vol'));
    await expect.poll(() => told('roots', 'ls', '--session', session), STARTED).toMatch(/rw, lost +\S+\/vol\n/);
    const run = await cli('roots', 'check', join(at('vol'), 'a'), '--session', session);
    expect([run.code, run.stdout]).toEqual([5, expect.stringMatching(/agent +may not use it/)]);
    expect(run.stderr).toContain(`reeve roots approve ${at('vol')}:rw --session ${session}`);
    await told('roots', 'approve', `${at('vol')}:rw`, '--session', session);
    expect(await told('roots', 'ls', '--session', session)).not.toContain('lost');
    await api.sessions.close(session);
  });

  it('are of the only session that is open, also after a change ended its process', async () => {
    const session = await open(['project', 'one']);
    await api.sessions.prompt(session, { prompt: 'Hello' });
    await told('roots', 'revoke', at('one'));
    expect(await told('roots', 'check', at('project'))).toContain('agent');
    await told('roots', 'approve', `${at('one')}:ro`);
    expect((await api.boundaries.show(session)).roots).toContainEqual({ path: at('one'), access: 'ro' });
    await api.sessions.close(session);
  });

  it('are denied for good: nobody is asked again', async () => {
    const session = await open(['project', 'one'], files('DENIED'));
    await expect.poll(() => asked(session), STARTED).toHaveLength(1);
    const [id = ''] = await asked(session);
    await api.requests.answer(id, { decision: 'approve', roots: [], others: 'ask' });
    await expect.poll(async () => (await asked(session)).filter((one) => one !== id), STARTED).toHaveLength(1);
    const scoped = ['--scope', 'project', '--expires', '2h'];
    expect(await told('roots', 'deny', at('link'), '--session', session, ...scoped)).toContain(`denied ${at('one')}`);
    const [grant] = await api.grants.list({ scope: 'project' });
    expect(grant).toMatchObject({ decision: 'deny', path: at('one'), expiresAt: expect.any(Number) });
    await api.sessions.close(session);
  });
});

describe('a server, at the command line', { timeout: SLOW_MS }, () => {
  it('is denied and approved while nobody asks: it stops, runs again, and what was not named stays', async () => {
    const session = await open(['project'], files('DECIDED'));
    await expect.poll(() => stateOf(session), STARTED).toBe('waiting');
    await told('servers', 'approve', 'files', '--session', session, '--network', 'a.example', '--expires', 'never');
    expect(await read(session, join(at('project'), 'file.txt'))).toBe('in project');
    expect(await told('servers', 'approve', 'files', '--session', session, '--scope', 'project', '--trust')).toContain(
      'where nobody was asked',
    );
    const { approvals } = await api.servers.show(session, 'files');
    expect(approvals.at(-1)).toMatchObject({ scope: 'project', trusted: true, network: { allow: ['a.example'] } });

    await told('servers', 'approve', 'files', '--session', session, '--expires', '2030-01-31T18:00Z');
    expect(await told('servers', 'show', 'files', '--session', session)).toContain('until 2030-01-31T18:00:00Z');
    const trusted = await told('servers', 'approve', 'files', '--session', session, '--trust');
    expect(trusted).toContain('counts until 2030-01-31T18:00:00Z');
    const endless = await told('servers', 'approve', 'files', '--session', session, '--expires', 'never');
    expect(endless).toContain('counts until it is taken back');
    expect(await told('servers', 'show', 'files', '--session', session)).not.toContain('2030');

    await told('servers', 'deny', 'files', '--session', session, '--scope', 'project');
    await expect.poll(() => stateOf(session), STARTED).toBe('refused');
    const refused = await told('servers', 'show', 'files', '--session', session);
    expect(refused).not.toMatch(/ may read/);
    expect(refused).toMatch(/last error: It was denied by/);

    await told('servers', 'approve', 'files', '--session', session);
    await expect.poll(() => stateOf(session), STARTED).not.toBe('refused');
    expect(await read(session, join(at('project'), 'file.txt'))).toBe('in project');
    const running = await told('servers', 'show', 'files', '--session', session);
    expect(running).not.toContain('last error');
    expect(running).toMatch(/ may read and write/);
    await api.sessions.close(session);
  });

  it('is denied while it waits, and unknown ones are told of in commands', async () => {
    const session = await open(['project'], files('REFUSED'));
    await expect.poll(() => asked(session), STARTED).toHaveLength(1);
    expect(await told('servers', 'deny', 'files', '--session', session)).toMatch(/denied files in session .*: request/);
    await expect.poll(() => stateOf(session), STARTED).toBe('refused');
    const { code, stderr } = await cli('servers', 'show', 'nobody', '--session', session);
    expect([code, stderr]).toEqual([1, expect.stringContaining('"reeve servers ls" lists')]);
    await api.sessions.close(session);
  });
});
