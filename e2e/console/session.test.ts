import { connectReeve } from '@reeve/client';
import { script } from '@reeve/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';
import { openCuttableLine } from './cuttable-line.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab(['--load', '--config-options']);
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline' });
/** What the agent said. */
const said = (page: Page) => timeline(page).getByRole('article', { name: 'Agent' });
const turnEnd = (page: Page) => timeline(page).getByText(/^Done/);

describe('a session in the console', () => {
  it('streams what the agent does, and shows the messages of an item as they crossed the wire', async () => {
    const id = await lab.session('All kinds');
    await using console = await lab.open({ path: `/sessions/${id}`, height: 2400 });
    const { page } = console;
    await page.getByText('Nothing was said yet').waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill(
      script(
        { say: '**Bold** and [a link](https://example.org/x)' },
        { update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'a thought' } } },
        {
          update: {
            sessionUpdate: 'tool_call',
            toolCallId: 't1',
            title: 'Change a file',
            kind: 'edit',
            status: 'completed',
            locations: [{ path: '/tmp/a.txt' }],
            rawInput: { command: 'sed', args: ['-i', 'a b'] },
            content: [{ type: 'diff', path: '/tmp/a.txt', oldText: 'one\ntwo\n', newText: 'one\n2\n' }],
          },
        },
        {
          update: {
            sessionUpdate: 'plan',
            entries: [
              { content: 'Look', status: 'completed', priority: 'high' },
              { content: 'Leap', status: 'pending', priority: 'high' },
            ],
          },
        },
      ),
    );
    await page.getByRole('textbox', { name: 'Prompt' }).press('Enter');
    const log = timeline(page);
    await turnEnd(page).waitFor();
    expect(await log.locator('strong').innerText()).toBe('Bold');
    expect(await log.getByRole('link', { name: /a link/ }).getAttribute('rel')).toContain('noopener');
    expect(await log.getByText('a thought', { exact: true }).isVisible()).toBe(false);
    await log.getByText('Thought', { exact: true }).click();
    expect(await log.getByText('a thought', { exact: true }).isVisible()).toBe(true);
    const tool = log.locator('details').filter({ has: page.getByText('Change a file', { exact: true }) });
    expect(await tool.getByRole('region', { name: 'Command' }).innerText()).toBe('sed -i "a b"');
    expect(await tool.getByRole('region', { name: 'Changes of /tmp/a.txt' }).innerText()).toMatch(/two[\s\S]*2/);
    await tool.getByRole('button', { name: 'Side by side' }).click();
    await tool.getByRole('button', { name: 'Unified' }).waitFor();
    expect(await log.getByRole('list', { name: 'Plan' }).innerText()).toContain('Leap');
    await page
      .locator('[data-seq]')
      .filter({ has: page.getByText('Change a file', { exact: true }) })
      .getByRole('button', { name: /Raw/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"toolCallId": "t1"').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('is the same in two browsers: what is said in one appears in the other, and so does a switch of the mode', async () => {
    const id = await lab.session('Shared');
    await using one = await lab.open({ path: `/sessions/${id}` });
    await using other = await lab.open({ path: `/sessions/${id}` });
    await timeline(other.page).waitFor();
    await one.page.getByRole('textbox', { name: 'Prompt' }).fill('hello from one');
    await one.page.getByRole('button', { name: 'Send the prompt' }).click();
    await said(other.page).filter({ hasText: 'hello from one' }).waitFor();
    await other.page.getByLabel('Mode', { exact: true }).selectOption('plan');
    await expect.poll(() => one.page.getByLabel('Mode', { exact: true }).inputValue()).toBe('plan');
  });

  it('queues a prompt behind the turn that runs, and cancels', async () => {
    const id = await lab.session('Queue');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill(script({ untilCancel: true }));
    await prompt.press('Enter');
    await page.getByText('The agent works …').waitFor();
    await prompt.fill('the next thing');
    await page.getByRole('button', { name: 'Queue the prompt' }).click();
    await page.getByRole('list', { name: 'Queued prompts' }).getByText('the next thing').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await timeline(page)
      .getByText(/^Cancelled/)
      .first()
      .waitFor();
    await page.getByRole('list', { name: 'Queued prompts' }).waitFor({ state: 'detached' });
  });

  it('sends files with a prompt, and keeps a draft over a reload', async () => {
    const id = await lab.session('Files');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('in the file') });
    await page.getByRole('list', { name: 'Attached files' }).getByText('note.txt').waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('look at it');
    await page.getByRole('textbox', { name: 'Prompt' }).press('Enter');
    await turnEnd(page).waitFor();
    const { events } = await lab.api.sessions.events(id, { after: 0 });
    expect(JSON.stringify(events.find(({ kind }) => kind === 'prompt'))).toContain('in the file');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('half a thou');
    await page.reload();
    await expect.poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('half a thou');
  });

  it('offers the commands of the agent while one is begun', async () => {
    const id = await lab.session('Commands');
    const availableCommands = [
      { name: 'review', description: 'Look over what changed' },
      { name: 'test', description: 'Run the tests' },
    ];
    await lab.begin(id, { update: { sessionUpdate: 'available_commands_update', availableCommands } });
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    await turnEnd(page).waitFor();
    const prompt = page.getByRole('textbox', { name: 'Prompt' });
    await prompt.fill('/te');
    const hints = page.getByRole('list', { name: 'Commands of the agent' });
    await expect.poll(() => hints.getByRole('button').count()).toBe(1);
    await hints.getByRole('button', { name: '/test' }).click();
    await expect.poll(() => prompt.inputValue()).toBe('/test ');
    await hints.waitFor({ state: 'detached' });
  });

  it('loses and doubles nothing over a reload in the middle of a stream', async () => {
    const id = await lab.session('Reload');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    await lab.begin(id, ...numbered(1, 12));
    await said(page).filter({ hasText: 'line 3.' }).waitFor();
    await page.reload();
    await turnEnd(page).waitFor();
    expect(await linesShown(page)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
  });

  it('jumps to an event by its number, and stays where somebody reads while more comes', async () => {
    const id = await lab.session('Long');
    const steps = Array.from({ length: 400 }, (_, at) => [
      { say: `paragraph ${at}.` },
      { update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: `thought ${at}` } } },
    ]).flat();
    await lab.api.sessions.prompt(id, { prompt: script(...steps) });
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    const log = timeline(page);
    await log.getByText('paragraph 399.').waitFor();
    // Only what is in sight is in the page.
    expect(await log.locator('[data-seq]').count()).toBeLessThan(100);
    await page.getByRole('button', { name: 'Jump to an event' }).click();
    await page.getByLabel('Number of the event').fill('40');
    await page.getByRole('button', { name: 'Jump', exact: true }).click();
    await expect.poll(() => log.locator('[data-seq="40"]').isVisible()).toBe(true);
    await lab.api.sessions.prompt(id, { prompt: 'one more' });
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    expect(await log.locator('[data-seq="40"]').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'To the end' }).click();
    await log.getByText('one more').last().waitFor();
  });
});

describe('a session in the console, while the way to the server is lost', () => {
  it('goes on where it was when the line is cut and restored in the middle of a stream', async () => {
    const id = await lab.session('Cut');
    await using line = await openCuttableLine(lab.server.url);
    await using console = await lab.open({ url: line.url, path: `/sessions/${id}` });
    const { page } = console;
    await timeline(page).waitFor();
    await lab.begin(id, ...numbered(1, 10));
    await said(page).filter({ hasText: 'line 2.' }).waitFor();
    line.cut();
    await page.getByText('The server does not answer.', { exact: false }).first().waitFor();
    line.restore(lab.server.url);
    await turnEnd(page).waitFor();
    expect(await linesShown(page)).toEqual(Array.from({ length: 10 }, (_, at) => at + 1));
    await page.getByText('The server does not answer.', { exact: false }).first().waitFor({ state: 'detached' });
  });

  it('goes on when the server is killed and started again in the middle of a stream', {
    timeout: 120_000,
  }, async () => {
    await using own = await openConsoleLab();
    const id = await own.session('Killed');
    await using line = await openCuttableLine(own.server.url);
    await using console = await own.open({ url: line.url, path: `/sessions/${id}` });
    const { page } = console;
    await timeline(page).waitFor();
    await own.begin(id, ...numbered(1, 200));
    await said(page).filter({ hasText: 'line 3.' }).waitFor();
    await own.server.kill('SIGKILL');
    line.cut();
    const again = await own.server.restart();
    line.restore(again.url);
    const api = connectReeve({ url: again.url, token: again.token });
    await page.getByRole('textbox', { name: 'Prompt' }).fill(script({ say: 'here again' }));
    await page.getByRole('textbox', { name: 'Prompt' }).press('Enter');
    await said(page).filter({ hasText: 'here again' }).waitFor();
    const { events } = await api.sessions.events(id, { after: 0, limit: 1000 });
    const logged = events.flatMap(({ message }) => numbersIn(JSON.stringify(message), /"text":"line (\d+)\./g));
    expect(await linesShown(page)).toEqual(logged);
  });
});

/** Lines `line N.`, each a paragraph, 60 ms apart. */
function numbered(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, at) => [{ say: `line ${from + at}.\n\n` }, { sleep: 60 }]).flat();
}

/** The numbers of the lines that the agent's messages show, in their order. */
async function linesShown(page: Page): Promise<number[]> {
  const texts = await said(page).allInnerTexts();
  return numbersIn(texts.join('\n'), /line (\d+)\./g);
}

function numbersIn(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(pattern)].map((match) => Number(match[1]));
}
