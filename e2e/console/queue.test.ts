import { script } from '@reeve/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab(['--load']);
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const queue = (page: Page) => page.getByRole('list', { name: 'Queued prompts' });
const field = (page: Page) => page.getByRole('textbox', { name: 'Prompt' });

describe('prompts that wait for their turn', () => {
  it('are shown in every browser and after a reload, until they begin', async () => {
    const id = await lab.session('Queue');
    await using one = await lab.open({ path: `/sessions/${id}` });
    await using other = await lab.open({ path: `/sessions/${id}` });
    await field(one.page).fill(script({ permission: { title: 'Go on?' } }));
    await field(one.page).press('Enter');
    await one.page.getByRole('article', { name: 'Go on?' }).waitFor();
    await field(one.page).fill('the next thing');
    await field(one.page).press('Enter');
    await queue(one.page).getByText('Queued: the next thing').waitFor();
    await queue(other.page).getByText('Queued by reeve-console 0.1.0: the next thing').waitFor();
    await one.page.reload();
    await queue(one.page).getByText('the next thing').waitFor();
    const [request] = await lab.api.requests.list({ session: id });
    await lab.api.requests.answer(request?.id ?? '', { reply: 'once' });
    for (const { page } of [one, other]) {
      await queue(page).waitFor({ state: 'detached' });
      const timeline = page.getByRole('region', { name: 'Timeline' });
      await timeline.getByRole('article', { name: 'Agent' }).getByText('the next thing').waitFor();
    }
  });

  it('are given back to the field when somebody cancels, with their files, and do not run', async () => {
    const id = await lab.session('Taken back');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    await lab.begin(id, { untilCancel: true });
    await page.getByText('The agent works …').waitFor();
    await lab.api.sessions.beginPrompt(id, { prompt: 'from a script' });
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('in the file') });
    await field(page).fill('look at the file');
    await field(page).press('Enter');
    await expect.poll(() => queue(page).getByRole('listitem').count()).toBe(2);
    await field(page).fill('half a thought');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The queued prompts do not run: they stand in the field again.').waitFor();
    await expect.poll(() => field(page).inputValue()).toBe('half a thought\n\nfrom a script\n\nlook at the file');
    await page.getByRole('list', { name: 'Attached files' }).getByText('note.txt').waitFor();
    await queue(page).waitFor({ state: 'detached' });
    const { events } = await lab.api.sessions.events(id, { after: 0 });
    expect(events.filter(({ kind }) => kind === 'prompt')).toHaveLength(1);
  });
});
