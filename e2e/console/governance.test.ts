import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { NewSession } from '@reeve/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

const SERVER = resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

let lab: ConsoleLab;
let folder: string;
let project: string;
let other: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-governed-'));
  [project, other] = [join(folder, 'project'), join(folder, 'other')];
  await Promise.all([mkdir(project), mkdir(other)]);
  lab = await openConsoleLab();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** A confined session with two roots and an MCP server that nobody has approved. */
async function governedSession(title: string): Promise<string> {
  const roots = [project, other].map((path) => ({ path, access: 'rw' as const }));
  const session: NewSession = {
    cwd: project,
    mcpServers: [{ name: 'files', command: process.execPath, args: [SERVER, project, other], env: [] }],
    metadata: { title, boundary: { roots } },
  };
  return (await lab.api.sessions.create(session)).session.sessionId;
}

describe('the boundary in the console', () => {
  it('lets somebody approve a server with less than it asks for, and shows who may touch what since', async () => {
    await using console = await lab.open({});
    const { page } = console;
    const id = await governedSession('Approve narrower');
    const card = page.getByRole('article').filter({ hasText: 'MCP server “files”' });
    await card.waitFor();
    expect(await card.getByRole('region', { name: 'Command' }).innerText()).toContain(SERVER);
    expect(await card.innerText()).toMatch(/sha256:[0-9a-f]{64}/);
    expect((await card.innerText()).match(/outside the project/g)).toHaveLength(1);
    await card.getByLabel(`What of ${other} is shown`).selectOption('ro');
    expect(await axeViolations(page)).toEqual([]);
    await card.getByRole('button', { name: 'Approve' }).click();
    await card.waitFor({ state: 'detached' });

    await page.goto(`${lab.server.url}/boundaries/${id}`);
    const matrix = page.getByRole('region', { name: 'Who may touch what' });
    const row = (path: string) => matrix.getByRole('row').filter({ hasText: path });
    await expect.poll(() => row(other).getByRole('cell').last().innerText()).toContain('read-only');
    expect(await row(other).getByRole('cell').first().innerText()).toContain('read-write');
    await page.getByRole('list', { name: 'Last verified' }).getByText('attempted to get out').waitFor();
    await expect
      .poll(() => page.getByRole('region', { name: 'What holds: The agent' }).innerText())
      .toMatch(/bubblewrap[\s\S]*enforced/);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('shows the package that a server fetches and the names of its variables, before somebody decides', async () => {
    await using console = await lab.open({});
    const { page } = console;
    const env = [{ name: 'NOTES_KEY', value: 'secret-of-notes' }];
    const mcpServers = [{ name: 'notes', command: 'uvx', args: ['notes[all]==1.2'], env }];
    await lab.api.sessions.create({ cwd: project, mcpServers, metadata: { title: 'A package' } });
    const card = page.getByRole('article').filter({ hasText: 'MCP server “notes”' });
    await card.waitFor();
    const text = await card.innerText();
    expect(text).toContain('notes, as "notes[all]==1.2": fetched by the command at each start');
    expect(text).toContain('NOTES_KEY (values are not shown)');
    expect(text).not.toContain('secret-of-notes');
    expect(await axeViolations(page)).toEqual([]);
    await card.getByRole('button', { name: 'Deny' }).click();
    await card.waitFor({ state: 'detached' });
  });

  it('narrows, gives and takes away in one action each, and shows in another browser that it is in force', async () => {
    const id = await governedSession('Take away');
    await using one = await lab.open({ path: `/boundaries/${id}` });
    await using second = await lab.open({ path: `/boundaries/${id}` });
    const { page } = one;
    const matrix = (of = page) => of.getByRole('region', { name: 'Who may touch what' });
    await page.getByRole('button', { name: `Make read-only: ${other}` }).click();
    await page.getByText(/In force as revision \d/).waitFor();
    await expect
      .poll(() => matrix(second.page).getByRole('row').filter({ hasText: other }).innerText())
      .toContain('read-only');
    await page.getByRole('button', { name: `Take away: ${other} from everybody` }).click();
    await matrix().getByRole('row').filter({ hasText: other }).waitFor({ state: 'detached' });
    await matrix(second.page).getByRole('row').filter({ hasText: other }).waitFor({ state: 'detached' });
    expect((await lab.api.boundaries.show(id)).roots.map(({ path }) => path)).toEqual([project]);

    await page.getByLabel('May a path be touched?').fill(join(other, 'x'));
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('may not').first().waitFor();
    await page.getByLabel('Give one more directory').fill(other);
    await page.getByRole('button', { name: 'Give', exact: true }).click();
    await matrix().getByRole('row').filter({ hasText: other }).waitFor();
  });
});

describe('the servers of the console', () => {
  it('are shown with all that is known of each, and what was decided about them can be forgotten', async () => {
    const id = await governedSession('Servers');
    await using console = await lab.open({ path: '/servers' });
    const { page } = console;
    const card = page.getByRole('listitem').filter({ has: page.locator(`a[href="/sessions/${id}"]`) });
    await card.getByText('waiting', { exact: true }).waitFor();
    await expect.poll(() => card.locator(`a[href="/sessions/${id}"]`).innerText()).toBe('Servers');
    expect(await card.getByRole('region', { name: 'Command' }).innerText()).toContain(SERVER);
    await card.getByText('not known before it has started once').waitFor();
    await card.getByRole('button', { name: 'Details of files' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Command' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    const approve = dialog.getByRole('button', { name: 'Approve for this session' });
    await approve.click();
    await approve.waitFor({ state: 'detached' });
    const { fingerprint = '' } = await lab.api.servers.show(id, 'files');
    await lab.api.servers.approve(fingerprint, { session: id, expiresAt: Date.now() + 7_190_000 });
    await page.reload();
    await page.getByText('ends in 2 hr.').waitFor();
    await card.getByRole('button', { name: 'Details of files' }).click();
    await dialog.getByRole('button', { name: 'Forget what was decided' }).click();
    await dialog.getByRole('button', { name: 'Forget what was decided' }).waitFor({ state: 'detached' });
    const { approvals } = await lab.api.servers.list({ session: id });
    expect(approvals).toEqual([]);
  });
});

describe('the agents of the console', () => {
  it('can be tried, and say what they are', async () => {
    await using console = await lab.open({ path: '/agents' });
    const { page } = console;
    // Sessions of it were opened before: what it announced is known without trying it.
    await page.getByText('files in prompts', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Try it: fake' }).click();
    await page.getByText(/It works: version 1\.0\.0/).waitFor();
    await page.getByRole('button', { name: 'Versions of fake' }).click();
    await page.getByText(/Configured: /).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('the policies of the console', () => {
  it('are shown, explained, and checked without a change', async () => {
    await using console = await lab.open({ path: '/policy' });
    const { page } = console;
    const { policies, hash } = await lab.api.policies.show();
    await page.getByText(hash).waitFor();
    await page
      .getByText(policies[0]?.id ?? '', { exact: true })
      .first()
      .click();
    await page.getByRole('region', { name: `Text of ${policies[0]?.id}` }).waitFor();
    await page.getByLabel('Check policies (Cedar)').fill('permit (principal, action, nonsense);');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The policies cannot be used.').waitFor();
    await page.getByRole('button', { name: 'An example' }).click();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The policies can be used.').waitFor();
    await page.getByLabel('Explain a decision').fill('{');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('This is no JSON.', { exact: false }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect((await lab.api.policies.show()).hash).toBe(hash);
  });
});

describe('a decision that the console explains', () => {
  it('is told in words, with the policy that decided and its reason, and with what would change it', async () => {
    await using console = await lab.open({ path: '/policy' });
    const { page } = console;
    const facts = page.getByLabel('Explain a decision');
    const told = page.getByRole('status').filter({ has: page.getByText('Step by step') });
    const explain = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Explain' }).click();
      await told.waitFor();
      return told.innerText();
    };
    expect(JSON.parse(await facts.inputValue())).toMatchObject({ kind: 'start_server' });
    expect(await explain()).toMatch(/a person is asked[\s\S]*It is allowed once a user says yes\./);
    await page.getByRole('button', { name: 'A root is shown' }).click();
    expect(JSON.parse(await facts.inputValue())).toMatchObject({ kind: 'expose_root' });
    await expect
      .poll(explain)
      .toMatch(/ask: A person said yes\.[\s\S]*root\.highRisk: true\s+an administrator is asked/);
    await page.getByRole('button', { name: 'A tool is called' }).click();
    await expect.poll(explain).toContain('It is allowed, and nobody is asked.');
    expect(await axeViolations(page)).toEqual([]);
    await facts.fill('{"kind":"start_server"}');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('The case could not be decided').waitFor();
  });
});

describe('the audit log in the console', () => {
  it('shows what else belongs to the trace of a record', async () => {
    const id = await lab.session('For its trace');
    await using console = await lab.open({ path: '/audit' });
    const { page } = console;
    const records = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
    await page.getByLabel('Session').selectOption({ label: 'For its trace' });
    await page.getByLabel('Kind').selectOption({ label: 'session created' });
    await expect.poll(() => records.count()).toBe(1);
    await records.first().locator('summary').click();
    await page.getByRole('button', { name: 'All of this trace' }).click();
    const [created] = (await lab.api.audit.list({ session: id, kind: 'session.created' })).records;
    const { trace = '' } = created ?? {};
    await expect.poll(() => page.getByLabel('Trace', { exact: true }).inputValue()).toBe(trace);
    const all = (await lab.api.audit.list({ trace })).records;
    await expect.poll(() => records.count()).toBe(all.length);
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['session.created', 'boundary.set']));
    expect(await axeViolations(page)).toEqual([]);
  });

  it('names the session and the server of each record, and shows what else was recorded of either', async () => {
    const id = await governedSession('Named in records');
    const [request] = await lab.api.requests.list({ session: id });
    await lab.api.requests.answer(request?.id ?? '', { result: { decision: 'deny' } });
    await using console = await lab.open({ path: '/audit' });
    const { page } = console;
    const records = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
    await page.getByLabel('MCP server').fill('files');
    await page.getByLabel('Session').selectOption({ label: 'Named in records' });
    await page.getByLabel('Decision').selectOption({ label: 'denied' });
    const { records: expected } = await lab.api.audit.list({ session: id, server: 'files', decision: 'deny' });
    await expect.poll(() => records.count()).toBe(expected.length);
    expect(expected.length).toBeGreaterThan(0);
    await expect
      .poll(() => records.first().innerText())
      .toMatch(/server (denied|refused)[\s\S]*MCP server “files”[\s\S]*in Named in records/);
    await records.first().locator('summary').click();
    await records.first().getByRole('button', { name: 'All of this server' }).click();
    const ofServer = (await lab.api.audit.list({ server: 'files' })).records;
    await expect.poll(() => records.count()).toBe(ofServer.length);
    expect(await page.getByLabel('Session').inputValue()).toBe('');
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is filtered, checked, and taken away whole', async () => {
    const id = await lab.session('For the audit');
    await using console = await lab.open({ path: '/audit' });
    const { page } = console;
    const records = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
    await records.first().waitFor();
    await page.getByLabel('Session').selectOption(id);
    const mine = (await lab.api.audit.list({ session: id })).records;
    await expect.poll(() => records.count()).toBe(mine.length);
    await records.first().locator('summary').click();
    expect(await axeViolations(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(id);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('dialog').getByText('The log is intact.').waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});
