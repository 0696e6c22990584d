import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DEFAULT_POLICY } from '@reeve/policy';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

const SERVER = resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
/** The shipped policy without the one that lets every call through: a person is asked about each. */
const ASKING = DEFAULT_POLICY.replace(/@id\("tools"\)[^;]*;/, '');

let lab: ConsoleLab;
let folder: string;
let project: string;
let secret: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-facts-')));
  [project, secret] = [join(folder, 'project'), join(folder, 'secret.txt')];
  await mkdir(project);
  await Promise.all([
    writeFile(join(project, 'note.txt'), 'in the note'),
    writeFile(secret, 'not to be read'),
    writeFile(join(folder, 'asking.cedar'), ASKING),
  ]);
  lab = await openConsoleLab([], true, { policy: { files: [join(folder, 'asking.cedar')] } });
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline' });

async function session(title: string, ...mcpServers: readonly object[]): Promise<string> {
  const metadata = { title, boundary: { roots: [{ path: project, access: 'rw' as const }] } };
  return (await lab.api.sessions.create({ cwd: project, mcpServers, metadata })).session.sessionId;
}

/** A session with an MCP server that somebody has approved. */
async function withServer(title: string): Promise<string> {
  const id = await session(title, { name: 'files', command: process.execPath, args: [SERVER, project], env: [] });
  const waiting = async () => (await lab.api.requests.list({ session: id }))[0]?.id;
  const request = await vi.waitFor(async () => (await waiting()) ?? Promise.reject(new Error('nothing waits')), 60_000);
  await lab.api.requests.answer(request, { result: { decision: 'approve', scope: 'session' } });
  return id;
}

/** An agent lists the tools of a server before it calls one. */
const read = (path: string) => [
  { mcp: { server: 'files', method: 'tools/list' } },
  { mcp: { server: 'files', method: 'tools/call', params: { name: 'read_text_file', arguments: { path } } } },
];

describe('the timeline of a session', () => {
  it('puts an alarm where nobody passes it over, and says of servers and reviews what became of them', async () => {
    const id = await withServer('Alarmed');
    await using console = await lab.open({ path: `/sessions/${id}`, height: 2400 });
    const { page } = console;
    const alarm = timeline(page).getByText(
      `Alarm: MCP server “files” was asked by the agent to read ${secret}, which it was not given, with the tool “read_text_file”`,
    );
    for (const said of [
      'MCP server “files” asks to be started and waits for a person',
      'MCP server “files” is starting',
      /^A review was approved, by /,
    ]) {
      await timeline(page).getByText(said).first().waitFor();
    }
    await timeline(page).getByText(`MCP server “files” is shown ${project}`).first().waitFor();
    await lab.begin(id, ...read(secret));
    await alarm.waitFor();
    await expect.poll(() => timeline(page).locator('details.text-danger').count()).toBe(1);
    expect(await timeline(page).innerText()).not.toMatch(/root exposed|review settled|carried out|Asked/);
    expect(await axeViolations(page)).toEqual([]);

    await page.goto(`${lab.server.url}/boundaries`);
    const alarms = page.getByRole('region', { name: 'Alarms' });
    await alarms.getByText('Server “files” was asked by the agent to touch what it was not given').waitFor();
    expect(await alarms.innerText()).not.toContain(secret);
    expect(await axeViolations(page)).toEqual([]);
    await alarms.getByRole('link', { name: 'Alarmed' }).click();
    await page.getByRole('heading', { name: 'Alarmed' }).waitFor();
    await alarms.getByText('Server “files”', { exact: false }).waitFor();
  });

  it('says that files were read and written, with what, and never that somebody was asked', async () => {
    const id = await session('Served');
    await using console = await lab.open({ path: `/sessions/${id}`, height: 2000 });
    const { page } = console;
    const note = join(project, 'note.txt');
    await lab.begin(
      id,
      { fsRead: note },
      { fsWrite: { path: join(project, 'new.txt'), content: 'written anew' } },
      { fsRead: secret },
    );
    await timeline(page).getByText(/^Done/).waitFor();
    const line = (text: string) => timeline(page).locator('summary').filter({ hasText: text });
    await line('Read a file').filter({ hasText: note }).click();
    expect(await timeline(page).getByRole('region', { name: 'Output' }).first().innerText()).toContain('in the note');
    await line('Wrote a file').click();
    expect(await timeline(page).getByRole('region', { name: 'Input' }).last().innerText()).toContain('written anew');
    expect(await line('Read a file').filter({ hasText: secret }).innerText()).toMatch(
      /outside every root[\s\S]*refused: /,
    );
    expect(await timeline(page).getByText('Asked').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });

  it('shows usage and cost as the agent tells them, and pictures that browsers draw without running anything', async () => {
    const id = await session('Costs');
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const picture = (data: string, mimeType: string) => ({
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data, mimeType } },
    });
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString(
      'base64',
    );
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    const cost = { amount: 0.125, currency: 'USD' };
    await lab.begin(id, picture(dot, 'image/png'), picture(svg, 'image/svg+xml'), {
      update: { sessionUpdate: 'usage_update', used: 12345, size: 200000, cost },
    });
    await timeline(page).getByText(/^Done/).waitFor();
    const drawn = timeline(page).getByRole('img', { name: 'Sent in this session; nobody described it' });
    await expect.poll(() => page.evaluate('document.querySelector("[data-seq] img")?.naturalWidth')).toBe(1);
    expect(await drawn.count()).toBe(1);
    await timeline(page).getByText('A picture of a kind that is not shown here.').waitFor();
    await page.getByText('12,345 of 200,000 tokens · 0.13 USD').first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });
});

describe('a call that a policy puts to a person', () => {
  it('waits in the inbox with its server, tool and arguments, and runs when somebody approves it', async () => {
    const id = await withServer('Called');
    await using console = await lab.open({ height: 2400 });
    const { page } = console;
    await lab.begin(id, ...read(join(project, 'note.txt')));
    const card = page.getByRole('article').filter({ hasText: 'MCP server “files” wants to run one call' });
    await card.waitFor();
    expect(await card.innerText()).toContain('Tool call');
    expect(await card.getByRole('region', { name: 'Call' }).innerText()).toBe('tools/call: read_text_file');
    expect(await card.getByRole('region', { name: 'Arguments' }).innerText()).toContain(join(project, 'note.txt'));
    expect(await axeViolations(page)).toEqual([]);
    await card.getByRole('button', { name: 'Approve' }).click();
    await card.waitFor({ state: 'detached' });
    await page.goto(`${lab.server.url}/sessions/${id}`);
    await timeline(page).getByText(/^Done/).waitFor();
    expect(await timeline(page).innerText()).toMatch(/A review was approved[\s\S]*in the note/);
  });
});
