import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

const SERVER = resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

const HOSTILE = `plain words of the server
<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><a href="javascript:hacked=3">here</a>
\u001b[31mred\u001b[0m \u001b]8;;https://evil.example/\u0007link\u001b]8;;\u0007 \u001b[2J
\u202Egnp.exe zero\u200Bwidth null\u0000byte
`;

let lab: ConsoleLab;
let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'reeve-stderr-'));
  await writeFile(join(project, 'noisy.mjs'), `process.stderr.write(${JSON.stringify(HOSTILE)});\n`);
  await writeFile(join(project, 'dies.mjs'), `process.stderr.write('no key is set\\n', () => process.exit(3));\n`);
  lab = await openConsoleLab();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  await rm(project, { recursive: true, force: true });
});

/** A session whose agent has talked to its MCP server, a program of the project, once somebody approved it. */
async function sessionWith(title: string, name: string, args: readonly string[]): Promise<void> {
  const { sessionId } = (
    await lab.api.sessions.create({
      cwd: project,
      mcpServers: [{ name, command: process.execPath, args: [...args], env: [] }],
      metadata: { title, boundary: { roots: [{ path: project, access: 'rw' }] } },
    })
  ).session;
  const review = await vi.waitFor(
    async () => (await lab.api.requests.list({ session: sessionId }))[0] ?? Promise.reject(new Error('no review yet')),
    60_000,
  );
  await lab.api.requests.answer(review.id, { result: { decision: 'approve' } });
  await lab.begin(sessionId, { mcp: { server: name, method: 'tools/list' } });
}

/** Opens the details of a server until they have what it printed, and its state; it starts when it is first asked. */
async function stderrOf(page: Page, name: string, state: string) {
  const stderr = page.getByRole('dialog').getByRole('region', { name: 'stderr' });
  await vi.waitFor(async () => {
    await page.getByRole('button', { name: `Details of ${name}` }).click();
    await page.getByRole('dialog').getByRole('region', { name: 'Command' }).waitFor();
    const isThere = (await page.getByRole('dialog').getByText(state, { exact: true }).count()) === 1;
    if (isThere && (await stderr.count()) === 1) return;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    throw new Error(`it is not ${state}, or nothing that it printed is shown`);
  }, 60_000);
  return stderr;
}

describe('what an MCP server prints', () => {
  it('is on its details as text: no markup of it is any, no escape sequence works, nothing of it is unseen', async () => {
    await sessionWith('Prints', 'noisy', ['--import', join(project, 'noisy.mjs'), SERVER, project]);
    await using console = await lab.open({ path: '/servers' });
    const { page } = console;
    const stderr = await stderrOf(page, 'noisy', 'running');
    const shown = await stderr.innerText();
    expect(shown).toContain('plain words of the server');
    expect(shown).toContain('<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">');
    expect(shown).toContain('red link');
    expect(shown).toContain('⟨U+202E⟩gnp.exe zero⟨U+200B⟩width null␀byte');
    // Neither controls, but for those of plain lines, nor signs that reorder or hide text.
    expect(await page.locator('body').textContent()).not.toMatch(/[^\P{C}\n\r\t]|evil\.example/u);
    expect(await page.getByRole('dialog').locator('script, img, [onerror], a[href^=javascript]').count()).toBe(0);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('is there too when it could not start, beside what became of it', async () => {
    await sessionWith('Dies', 'dying', [join(project, 'dies.mjs')]);
    await using console = await lab.open({ path: '/servers' });
    const { page } = console;
    const stderr = await stderrOf(page, 'dying', 'failed');
    expect(await stderr.innerText()).toContain('no key is set');
    await page.getByRole('dialog').getByRole('button', { name: 'Start again' }).waitFor();
  });
});
