import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

const SECRET = 'secret-that-stays-out-of-sight-93';

let lab: ConsoleLab;
let base: string;
const at = (name: string): string => join(base, name);
const started = (name: string) => ({ command: '/bin/sh', args: ['-c', `touch ${at('started')}`, name] });

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-new-')));
  for (const name of ['shop', 'shop/.git', 'shop/web', 'shop/web/pages', 'docs', 'elsewhere']) mkdirSync(at(name));
  writeFileSync(at('shop/.mcp.json'), JSON.stringify({ mcpServers: { proposed: started('proposed') } }));
  mkdirSync(at('docs/.codex'));
  writeFileSync(at('docs/.codex/config.toml'), '[mcp_servers.own]\ncommand = "own"\n');
  const roots = [
    { path: at('shop'), access: 'rw' },
    { path: at('docs'), access: 'ro' },
  ];
  lab = await openConsoleLab([], true, { workspaces: { shop: { roots, mcpServers: { notes: started('notes') } } } });
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

async function openDialog(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'New session' }).click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByRole('region', { name: 'What it may touch' }).waitFor();
  return dialog;
}

const serverOf = (dialog: Locator, name: string): Locator =>
  dialog.getByRole('list', { name: 'MCP servers of the session' }).getByRole('listitem').filter({ hasText: name });

describe('a new session of the console', () => {
  it('is in a workspace and a directory below its roots, with the servers that were left on, and nothing starts before', async () => {
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    const dialog = await openDialog(page);
    await expect.poll(() => dialog.getByLabel('Workspace').inputValue()).toBe('shop');
    const preview = dialog.getByRole('region', { name: 'What it may touch' });
    await preview.getByText(at('docs'), { exact: true }).waitFor();
    await preview.getByText('past Reeve').waitFor();
    expect(await preview.innerText()).toMatch(
      /shop[\s\S]*read-write[\s\S]*docs[\s\S]*read-only[\s\S]*enforced by bubblewrap/,
    );

    await dialog.getByText('Works in').click();
    const directories = dialog.getByRole('list', { name: 'Directories' });
    await directories.getByRole('button', { name: 'shop' }).click();
    await directories.getByRole('button', { name: 'web' }).click();
    await directories.getByRole('button', { name: 'pages' }).waitFor();
    await expect
      .poll(() => dialog.locator('summary').filter({ hasText: 'Works in' }).innerText())
      .toContain('shop/web');

    await serverOf(dialog, 'proposed').getByText('needs approval').first().waitFor();
    await serverOf(dialog, 'proposed').getByText('proposed by the project').waitFor();
    await serverOf(dialog, 'notes').getByText('without asking').first().waitFor();
    await serverOf(dialog, 'proposed').getByRole('checkbox').uncheck();
    await serverOf(dialog, 'proposed').getByText('needs approval').waitFor({ state: 'detached' });
    expect(existsSync(at('started'))).toBe(false);
    expect((await lab.api.sessions.list()).sessions).toEqual([]);

    await dialog.getByLabel('Title').fill('In the shop');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name: 'In the shop' }).waitFor();
    const [session] = (await lab.api.sessions.list()).sessions;
    expect(session).toMatchObject({
      cwd: at('shop/web'),
      metadata: { workspace: 'shop', mcpServersOff: ['proposed'] },
    });
    const { servers } = await lab.api.servers.list({ session: session?.sessionId });
    expect(servers.filter(({ governed }) => governed).map(({ name }) => name)).toEqual(['notes']);
  });

  it('has servers that were added by hand, and shows their secret values no more', async () => {
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    const dialog = await openDialog(page);
    await dialog.getByRole('button', { name: 'Add a server' }).click();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('Give it a name.').waitFor();
    await dialog.getByLabel('Name of the server').fill('mine');
    await dialog.getByLabel('Command').fill('/bin/sh');
    await dialog.getByLabel('Arguments').fill('-c\necho "two words"');
    await dialog.getByRole('button', { name: 'Environment variable' }).click();
    await dialog.getByLabel('Environment variable 1: name').fill('KEY');
    const value = dialog.getByLabel('Environment variable 1: value');
    expect(await value.getAttribute('type')).toBe('password');
    await value.fill(SECRET);
    expect(await axeViolations(page)).toEqual([]);
    await value.press('Enter');
    await serverOf(dialog, 'mine').getByText('needs approval').first().waitFor();
    expect(await serverOf(dialog, 'mine').innerText()).toContain('/bin/sh -c "echo \\"two words\\""');
    await dialog.getByRole('button', { name: 'Add a server' }).click();
    await dialog.getByLabel('Name of the server').fill('wiki');
    await dialog.getByLabel('How it is reached').selectOption('http');
    await dialog.getByLabel('Address').fill(`https://w.example.org/mcp?key=${SECRET}`);
    await dialog.getByRole('button', { name: 'Header' }).click();
    await dialog.getByLabel('Header 1: name').fill('Authorization');
    await dialog.getByLabel('Header 1: value').fill(SECRET);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await serverOf(dialog, 'wiki').getByText('https://w.example.org/mcp').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await dialog.getByRole('button', { name: 'Remove wiki' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('FIELDSET');
    await serverOf(dialog, 'wiki').waitFor({ state: 'detached' });
    // Where the server cannot tell, what was added stays, and can be taken back.
    await page.route('**/v1/boundaries/preview', (route) => route.abort());
    await dialog.getByRole('button', { name: 'Add a server' }).click();
    await dialog.getByLabel('Name of the server').fill('late');
    await dialog.getByLabel('Command').fill('late');
    await dialog.getByLabel('Command').press('Enter');
    await dialog.getByText('The server cannot tell').waitFor();
    await serverOf(dialog, 'mine').waitFor();
    await dialog.getByRole('button', { name: 'Remove late' }).click();
    await page.unroute('**/v1/boundaries/preview');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/\/sessions\/./);
    const [session] = (await lab.api.sessions.list()).sessions;
    const { servers } = await lab.api.servers.list({ session: session?.sessionId });
    expect(servers.map(({ name, origin }) => [name, origin])).toContainEqual(['mine', 'client']);
    expect(await page.content()).not.toContain(SECRET);
  });

  it('in a directory of nobody’s workspace is told as such, and where it cannot be is said before', async () => {
    await using console = await lab.open({ path: '/sessions' });
    const { page } = console;
    const dialog = await openDialog(page);
    const preview = dialog.getByRole('region', { name: 'What it may touch' });
    await dialog.getByLabel('Workspace').selectOption('');
    await dialog.getByLabel('Working directory').fill(at('elsewhere'));
    await preview.getByText('in no workspace').waitFor();
    await dialog.getByLabel('Network').selectOption('none');
    await preview.getByText('Network: none').waitFor();
    await dialog.getByLabel('Working directory').fill('/etc');
    await preview.getByText('high risk').waitFor();
    await preview.getByText('part of the system').waitFor();
    await dialog.getByLabel('Working directory').fill('/proc');
    await preview.getByText('So it cannot be started').waitFor();
    expect(await preview.innerText()).toContain('a place of the system');
    await dialog.getByLabel('Working directory').fill(at('no-such'));
    await preview.getByText(/nothing there/).waitFor();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByRole('alert').getByText('The session could not be started').waitFor();
    expect(await dialog.getByLabel('Working directory').inputValue()).toBe(at('no-such'));
  });

  it('is begun by the keyboard alone, on a phone as well, and has nothing that WCAG 2.2 AA objects to', async () => {
    await using console = await lab.open({ path: '/sessions', width: 360, height: 740 });
    const { page } = console;
    const dialog = await openDialog(page);
    await serverOf(dialog, 'notes').waitFor();
    await dialog.locator('summary').filter({ hasText: 'Works in' }).focus();
    await page.keyboard.press('Enter');
    const directories = dialog.getByRole('list', { name: 'Directories' });
    await directories.getByRole('button', { name: 'shop' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await directories.getByRole('button', { name: 'web' }).waitFor();
    // The list has the focus: its first button goes up again, then come the directories.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.innerText')).toBe('All roots of the workspace');
    await serverOf(dialog, 'notes').getByRole('checkbox').focus();
    await page.keyboard.press('Space');
    await expect.poll(() => serverOf(dialog, 'notes').getByRole('checkbox').isChecked()).toBe(false);
    await dialog.getByRole('button', { name: 'Add a server' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.innerText')).toBe('Name of the server');
    await page.evaluate('document.querySelectorAll("[role=dialog] details").forEach((one) => { one.open = true; })');
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
    const tooWide = await page.evaluate(
      '[...document.querySelectorAll("[role=dialog], [role=dialog] *")].filter((element) => element.getBoundingClientRect().right > innerWidth).map(({ outerHTML }) => outerHTML.slice(0, 120))',
    );
    expect(tooWide).toEqual([]);
  });
});

describe('one more directory of a session', () => {
  it('is shown with its risks before it is given', async () => {
    const id = (await lab.api.sessions.create({ cwd: at('shop') })).session.sessionId;
    await using console = await lab.open({ path: `/boundaries/${id}` });
    const { page } = console;
    await page.getByLabel('Give one more directory').fill('/etc');
    await page.getByText('part of the system').waitFor();
    await page.getByText('high risk').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect((await lab.api.boundaries.show(id)).roots).toHaveLength(1);
  });
});
