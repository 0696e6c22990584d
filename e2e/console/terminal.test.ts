import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const output = (page: Page) =>
  page.getByRole('region', { name: 'Timeline' }).getByRole('region', { name: 'Output of the terminal' });

describe.runIf(process.platform === 'linux')('a terminal that an agent has Reeve run', () => {
  it('shows what comes while the command runs, without escape sequences, and all of it after a reload', async () => {
    const id = await lab.session('Terminal');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    await using folder = await mkdtempDisposable('/tmp/reeve-terminal-');
    const goOn = join(folder.path, 'go-on');
    const script = `printf '\\033[31mred\\033[0m \\342\\200\\256<b>bold</b>\\n'; until [ -e ${goOn} ]; do sleep 0.05; done; echo end; exit 3`;
    await lab.begin(id, { terminal: { command: 'sh', args: ['-c', script] } });
    await output(page).getByText('red ⟨U+202E⟩<b>bold</b>').waitFor();
    expect(await page.getByText('exit code 3').count()).toBe(0);
    await writeFile(goOn, '');
    await page.getByText('exit code 3').waitFor();
    const shown = 'red ⟨U+202E⟩<b>bold</b>\nend\n';
    expect(await output(page).textContent()).toBe(shown);
    await page.reload();
    await page.getByText('exit code 3').waitFor();
    expect(await output(page).textContent()).toBe(shown);
    expect(await page.getByText('Asked', { exact: true }).count()).toBe(0);
  });

  it('is shown in the tool call that names it', async () => {
    const id = await lab.session('Tool call with a terminal');
    await lab.begin(id, { terminal: { command: 'echo', args: ['by the tool'] } });
    const terminalId = await vi.waitUntil(
      async () => {
        const { events } = await lab.api.sessions.events(id);
        const notes = events.map(({ message }) => message as { type?: string; terminalId?: string });
        return notes.find(({ type }) => type === 'terminal_exited')?.terminalId;
      },
      { timeout: 60_000 },
    );
    const content = [{ type: 'terminal', terminalId }];
    const call = { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Run it', status: 'completed', content };
    await lab.begin(id, { update: call });
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    const tool = page.locator('details').filter({ has: page.getByText('Run it', { exact: true }) });
    await tool.locator('summary').click();
    await tool.getByRole('region', { name: 'Output of the terminal' }).getByText('by the tool').waitFor();
    await tool.getByText('exit code 0').waitFor();
  });
});
