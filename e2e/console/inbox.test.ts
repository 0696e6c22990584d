import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  lab = await openConsoleLab();
});
afterAll(() => lab?.[Symbol.asyncDispose]());

describe('the inbox of the console', () => {
  it('shows what an agent asks with all that is needed, and gives it the option that was pressed', async () => {
    const id = await lab.session('Clean up');
    await using console = await lab.open();
    const { page } = console;
    await page.getByText('Nothing waits for you').waitFor();
    const toolCallId = 'told-before';
    const rawInput = { command: 'rm', args: ['-rf', 'build'] };
    const options = [
      { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'allow-always', name: 'Always allow', kind: 'allow_always' },
      { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
    ];
    // As some agents do: the input of a call stands in the update, not in the request.
    const toolCall = { toolCallId, title: 'Run rm -rf build' };
    await lab.begin(
      id,
      { update: { sessionUpdate: 'tool_call', status: 'pending', rawInput, ...toolCall } },
      { request: { method: 'session/request_permission', params: { sessionId: '$SESSION', toolCall, options } } },
    );
    const card = page.getByRole('article', { name: 'Run rm -rf build' });
    await card.waitFor();
    await card.getByRole('link', { name: 'Clean up' }).waitFor();
    await card.getByRole('region', { name: 'Command' }).getByText('rm -rf build').waitFor();
    await expect.poll(() => card.innerText()).toContain('/tmp');
    await expect.poll(() => card.innerText()).toContain('files enforced');
    expect(await card.getByRole('button').allInnerTexts()).toEqual(['Allow once', 'Always allow', 'Reject']);
    await expect.poll(() => page.getByRole('navigation').getByRole('link', { name: /Inbox/ }).innerText()).toMatch(/1/);
    await card.getByRole('button', { name: 'Always allow' }).click();
    await card.waitFor({ state: 'detached' });
    const [request] = await lab.api.requests.list({ session: id, state: 'all' });
    expect(request?.state).toMatchObject({ kind: 'answered', result: { outcome: { optionId: 'allow-always' } } });
  });

  it('says in another browser, and at the address of the request, that it was answered and by whom', async () => {
    const id = await lab.session('Two browsers');
    await lab.begin(id, { permission: { title: 'Publish it' } });
    await using one = await lab.open();
    await using other = await lab.open();
    const [request] = await lab.api.requests.list({ session: id });
    await using third = await lab.open({ path: `/requests/${request?.id}` });
    for (const { page } of [other, third]) await page.getByRole('article', { name: 'Publish it' }).waitFor();
    await one.page.getByRole('article', { name: 'Publish it' }).getByRole('button', { name: 'Reject' }).click();
    await other.page.getByText(/Permission: Publish it/).waitFor();
    await other.page.getByRole('article', { name: 'Publish it' }).waitFor({ state: 'detached' });
    await third.page.getByRole('status').filter({ hasText: 'Answered “Reject”, by reeve-console 0.1.0' }).waitFor();
  });

  it('is worked by the keyboard alone: j, k, a and d; Escape decides nothing', async () => {
    const id = await lab.session('By keys');
    // The order is the agent's: what a key does goes by what an option is.
    const options = [
      { optionId: 'allow-always', name: 'Always', kind: 'allow_always' },
      { optionId: 'reject-always', name: 'Never', kind: 'reject_always' },
      { optionId: 'allow-once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
    ];
    await lab.begin(id, { permission: { title: 'First', options } }, { permission: { title: 'Second', options } });
    await using console = await lab.open();
    const { page } = console;
    await page.getByRole('article', { name: 'First' }).waitFor();
    // Nothing is chosen yet: the keys that decide do nothing.
    await page.keyboard.press('a');
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    expect(await lab.api.requests.list({ session: id })).toHaveLength(1);
    await page.keyboard.press('a');
    await page.getByRole('article', { name: 'Second' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.getByRole('article', { name: 'Second' }).waitFor({ state: 'detached' });
    const answered = await lab.api.requests.list({ session: id, state: 'all' });
    expect(answered.map(({ state }) => state)).toMatchObject([
      { result: { outcome: { optionId: 'allow-once' } } },
      { result: { outcome: { optionId: 'reject-once' } } },
    ]);
  });

  it('takes answers to questions: an option, several, a text, a form; and lets them be turned down', async () => {
    const id = await lab.session('Questions');
    const options = [
      { id: 'r', label: 'Red' },
      { id: 'b', label: 'Blue', description: 'like the sky' },
    ];
    await using console = await lab.open();
    const { page } = console;
    await lab.begin(id, { question: { prompt: 'Which colour?', options } });
    await page.getByRole('article', { name: 'Which colour?' }).getByRole('button', { name: 'Blue' }).click();
    await page.getByRole('article', { name: 'Which colour?' }).waitFor({ state: 'detached' });

    await lab.begin(id, { question: { prompt: 'Which ones?', options, multiSelect: true, freeText: true } });
    const several = page.getByRole('article', { name: 'Which ones?' });
    await several.getByRole('checkbox', { name: 'Red' }).check();
    await several.getByLabel('Your own answer').fill('and green');
    await several.getByRole('button', { name: 'Answer' }).click();
    await several.waitFor({ state: 'detached' });

    const requestedSchema = {
      type: 'object',
      properties: { name: { type: 'string', title: 'Your name' }, port: { type: 'integer' } },
      required: ['name'],
    };
    await lab.begin(id, { elicit: { message: 'Fill this in', requestedSchema } });
    const form = page.getByRole('article', { name: 'Fill this in' });
    await form.getByLabel('Your name').fill('Ada');
    await form.getByRole('button', { name: 'Answer' }).click();
    await form.waitFor({ state: 'detached' });

    await lab.begin(id, { question: { prompt: 'No, thanks?' } });
    await page.getByRole('article', { name: 'No, thanks?' }).getByRole('button', { name: 'Turn down' }).click();
    await page.getByRole('article', { name: 'No, thanks?' }).waitFor({ state: 'detached' });
    const results = (await lab.api.requests.list({ session: id, state: 'all' })).map(({ state }) =>
      state.kind === 'answered' ? state.result : state,
    );
    expect(results).toMatchObject([
      { outcome: 'answered', answers: [{ optionId: 'b' }] },
      { outcome: 'answered', answers: [{ optionId: 'r' }, { text: 'and green' }] },
      { action: 'accept', content: { name: 'Ada' } },
      { outcome: 'rejected' },
    ]);
  });

  it('tells of what waits in a notification while the page is hidden, without a word of the agent', async () => {
    const id = await lab.session('Hidden');
    await using console = await lab.open();
    const { page, context } = console;
    await page.getByText('Nothing waits for you').waitFor();
    await context.grantPermissions(['notifications']);
    await page.evaluate(`
      window.told = [];
      window.Notification = class { static permission = 'granted'; constructor(title, options) { told.push([title, options.body]); } };
      Object.defineProperty(document, 'hidden', { value: true });
    `);
    await lab.begin(id, { permission: { title: 'A secret plan' } });
    await expect.poll(() => page.evaluate('told')).toEqual([['Permission waits for you', undefined]]);
    await expect.poll(() => page.title()).toBe('(1) Inbox · Reeve');
    await lab.api.sessions.cancel(id);
  });

  it('is counted in the title of the tab, and on the badge of an installed page', async () => {
    const prepare = (context: BrowserContext) =>
      context.addInitScript(`
        window.badge = 'none';
        navigator.setAppBadge = async (count) => { window.badge = count; };
        navigator.clearAppBadge = async () => { window.badge = 'cleared'; };`);
    await using console = await lab.open({ path: '/policy', prepare });
    const { page } = console;
    await expect.poll(() => page.evaluate('window.badge')).toBe('cleared');
    const id = await lab.session('Counted');
    await lab.begin(id, { permission: { title: 'One' } });
    await expect.poll(() => page.evaluate('window.badge')).toBe(1);
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    const [request] = await lab.api.requests.list({ session: id });
    await lab.api.requests.answer(request?.id ?? '', { reply: 'reject' });
    await expect.poll(() => page.evaluate('window.badge')).toBe('cleared');
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
  });
});
