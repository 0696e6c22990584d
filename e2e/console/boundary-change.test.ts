import { mkdir, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab(['--load']);
});
afterAll(() => lab?.[Symbol.asyncDispose]());

/** A confined session that works in a directory of its own. */
async function session(title: string, folder: string, ...more: readonly string[]): Promise<string> {
  const project = join(folder, title.replaceAll(' ', '-'));
  await mkdir(project);
  const roots = [project, ...more].map((path) => ({ path, access: 'rw' as const }));
  return (await lab.api.sessions.create({ cwd: project, metadata: { title, boundary: { roots } } })).session.sessionId;
}

describe('a change of a boundary in the console', () => {
  it('says before that a turn would end with it, and afterwards what has ended', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'reeve-change-'));
    const id = await session('Busy', folder.path);
    await lab.begin(id, { permission: { title: 'May I?' } });
    await using console = await lab.open({ path: `/boundaries/${id}` });
    const { page } = console;
    await page.getByText('ends the agent process', { exact: false }).waitFor();
    await page.getByRole('button', { name: /^Make read-only/ }).click();
    const outcome = page.getByRole('status').filter({ hasText: 'In force as revision 2.' });
    await outcome.waitFor();
    expect(await outcome.innerText()).toContain(
      'The agent process was ended with the turn that ran, and what it asked of you is void.',
    );
    const [request] = await lab.api.requests.list({ session: id, state: 'all' });
    expect(request?.state.kind).toMatch(/void|cancelled/);
    await page.getByText('A turn is under way.', { exact: false }).waitFor({ state: 'detached' });
    // Nothing of a process stands there that is gone.
    await page.getByText('No agent process runs', { exact: false }).waitFor();
    expect(await page.getByText('the agent runs in it', { exact: false }).count()).toBe(0);
  });

  it('asks once more before it gives what is dangerous, with why, and marks it wherever it stands', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'reeve-change-'));
    const id = await session('Given', folder.path);
    await using console = await lab.open({ path: `/boundaries/${id}` });
    const { page } = console;
    const matrix = page.getByRole('region', { name: 'Who may touch what' });
    await matrix.waitFor();
    const give = async () => {
      await page.getByLabel('Give one more directory').fill('/etc');
      await page.getByRole('button', { name: 'Give', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    };
    await give();
    expect(await page.getByRole('dialog').innerText()).toMatch(/\/etc[\s\S]*high risk[\s\S]*part of the system/);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await lab.api.boundaries.show(id)).roots).toHaveLength(1);
    await give();
    await page.getByRole('button', { name: 'Do not give it' }).click();
    expect((await lab.api.boundaries.show(id)).roots).toHaveLength(1);
    await give();
    await page.getByRole('button', { name: 'Give it all the same' }).click();
    await matrix.getByRole('row').filter({ hasText: '/etc' }).getByText('high risk').waitFor();

    await page.getByRole('link', { name: 'Boundaries' }).click();
    const listed = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Given' }) });
    await listed.getByRole('listitem').filter({ hasText: '/etc' }).getByText('high risk').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('tells of a session how each part is held, and calls none enforced of which a part is not', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'reeve-change-'));
    const id = await session('Held', folder.path);
    const { boundary } = await lab.api.sessions.show(id);
    expect(boundary?.enforcement.agent).toMatchObject({ fs: 'enforced', network: 'declared' });
    await using console = await lab.open({ path: `/sessions/${id}` });
    const header = console.page.locator('main header');
    await header.getByText(/^files enforced, network not/).waitFor();
    expect(await header.getByText('enforced', { exact: true }).count()).toBe(0);
  });
});
