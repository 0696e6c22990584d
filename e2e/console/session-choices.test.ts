import { fakeAgentCommand } from '@reeve/testkit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from './axe.ts';
import { type ConsoleLab, openConsoleLab } from './console-lab.ts';

let lab: ConsoleLab;
beforeAll(async () => {
  const agents = {
    options: fakeAgentCommand(['--config-options', '--no-modes']),
    models: fakeAgentCommand(['--models']),
    refusing: fakeAgentCommand(['--models', '--refuse-settings']),
  };
  lab = await openConsoleLab([], false, { agents, defaultAgent: 'options' });
});
afterAll(() => lab?.[Symbol.asyncDispose]());

const sessionOf = async (agent: string): Promise<string> =>
  (await lab.api.sessions.create({ agent, cwd: '/tmp', metadata: { title: `With ${agent}` } })).session.sessionId;
const model = (page: Page) => page.getByLabel('Model', { exact: true });
const works = (page: Page) => page.getByText('The agent works …');
/** The models that the agent took, one after the other: it is told only once the agent has answered. */
const taken = async (id: string): Promise<readonly unknown[]> => {
  const { events } = await lab.api.sessions.events(id, { after: 0, limit: 1000 });
  return events.flatMap(({ message }) => {
    const { update } =
      (message as { params?: { update?: { configOptions?: readonly Record<string, unknown>[] } } }).params ?? {};
    return (update?.configOptions ?? []).filter(({ id }) => id === 'model').map(({ currentValue }) => currentValue);
  });
};

describe('the model of a session in the console', () => {
  it.each([
    ['options', 0],
    ['models', 1],
  ] as const)(
    'is switched while a turn runs, with an agent that offers %s, and every browser follows',
    async (agent, modes) => {
      const id = await sessionOf(agent);
      await lab.begin(id, { untilCancel: true });
      await using one = await lab.open({ path: `/sessions/${id}` });
      await using other = await lab.open({ path: `/sessions/${id}`, width: 360, height: 740 });
      await works(one.page).waitFor();
      await expect.poll(() => model(one.page).inputValue()).toBe('fake-small');
      await model(one.page).selectOption({ label: 'Fake-large' });
      await expect.poll(() => model(one.page).inputValue()).toBe('fake-large');
      await other.page.getByRole('button', { name: 'Mode and model' }).click();
      await expect.poll(() => model(other.page).inputValue()).toBe('fake-large');
      expect(await axeViolations(other.page)).toEqual([]);
      expect(await taken(id)).toEqual(['fake-large']);
      expect(await one.page.getByLabel('Mode', { exact: true }).count()).toBe(modes);
      expect(await works(one.page).count()).toBe(1);

      await one.page.reload();
      await expect.poll(() => model(one.page).inputValue()).toBe('fake-large');
      await lab.api.sessions.cancel(id);
    },
  );

  it('is what the agent says when it changes it itself', async () => {
    const id = await sessionOf('options');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    await expect.poll(() => model(page).inputValue()).toBe('fake-small');
    await model(page).selectOption('fake-large');
    await expect.poll(() => taken(id)).toEqual(['fake-large']);
    const options = [
      { value: 'fake-small', name: 'Fake-small' },
      { value: 'fake-tiny', name: 'Tiny' },
    ];
    const option = {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: 'fake-tiny',
      options,
    };
    await lab.begin(id, { update: { sessionUpdate: 'config_option_update', configOptions: [option] } });
    await expect.poll(() => model(page).inputValue()).toBe('fake-tiny');
    expect(await model(page).locator('option').allInnerTexts()).toEqual(['Fake-small', 'Tiny']);
  });

  it('is what was chosen while there is no process that could be told', async () => {
    const id = await sessionOf('options');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    for (const value of ['fake-large', 'fake-small']) {
      await expect.poll(() => model(page).isEnabled()).toBe(true);
      await model(page).selectOption(value);
      await expect.poll(async () => (await taken(id)).at(-1)).toBe(value);
    }
    await lab.api.sessions.terminate(id);
    await expect.poll(async () => (await lab.api.sessions.show(id)).state).toBe('dormant');
    await model(page).selectOption('fake-large');
    await expect.poll(async () => (await lab.api.sessions.show(id)).metadata).toMatchObject({ model: 'fake-large' });
    await expect.poll(() => model(page).inputValue()).toBe('fake-large');
  });

  it('stays what it was where the agent refuses another, and says so', async () => {
    const id = await sessionOf('refusing');
    await using console = await lab.open({ path: `/sessions/${id}` });
    const { page } = console;
    await expect.poll(() => model(page).inputValue()).toBe('fake-small');
    await model(page).selectOption('fake-large');
    await page.getByText('It could not be switched: it cannot be set now.').first().waitFor();
    await expect.poll(() => model(page).inputValue()).toBe('fake-small');
    expect((await lab.api.sessions.show(id)).metadata).not.toHaveProperty('model');
    expect(await taken(id)).toEqual([]);
  });
});
