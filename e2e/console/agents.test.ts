import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectReeve } from '@reeve/client';
import {
  fakeAgentCommand,
  fakeAgentPackage,
  type NpmRegistry,
  type SpawnedReeve,
  startNpmRegistry,
  startReeve,
} from '@reeve/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathWithoutAgents } from '../path-without-agents.ts';
import { axeViolations } from './axe.ts';
import { openChromium, openConsole } from './open-console.ts';

/** A server that has one agent, which wants a login, and a registry on this machine: nothing leaves it. */
describe('the agents of the console', () => {
  let registry: NpmRegistry;
  let server: SpawnedReeve;
  let browser: Browser;
  const open = new AsyncDisposableStack();
  beforeAll(async () => {
    const home = await mkdtemp(join(tmpdir(), 'reeve-console-agents-'));
    open.defer(() => rm(home, { recursive: true, force: true }));
    registry = open.use(await startNpmRegistry([fakeAgentPackage('cline', '4.0.0')]));
    registry.publish({ ...fakeAgentPackage('cline', '5.0.0'), integrity: `sha512-${'A'.repeat(86)}==` });
    server = open.use(
      await startReeve({
        config: { agents: { shy: fakeAgentCommand(['--require-auth']) }, defaultAgent: 'shy' },
        env: { HOME: home, PATH: await pathWithoutAgents(home), npm_config_registry: registry.url },
      }),
    );
    browser = await openChromium();
    open.defer(() => browser.close());
  });
  afterAll(() => open.disposeAsync());

  it('are installed with their progress shown, and a failure with its next step, then can be tried', async () => {
    await using console = await openConsole(browser, { ...server, path: '/agents' });
    const { page } = console;
    await page.getByRole('button', { name: 'Versions of cline' }).click();
    const version = page.getByRole('combobox', { name: 'Version' });
    await version.selectOption('5.0.0');
    await page.getByRole('button', { name: 'Install cline' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('It was not installed').waitFor();
    expect(await alert.innerText()).toMatch(/cline@5\.0\.0/);
    expect(await axeViolations(page)).toEqual([]);

    await page.evaluate(`
      window.shown = [];
      new MutationObserver(() => {
        for (const status of document.querySelectorAll('[role=status]')) window.shown.push(status.textContent);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });`);
    await version.selectOption('4.0.0');
    await page.getByRole('button', { name: 'Install cline' }).click();
    await page.getByRole('button', { name: 'Try it: cline' }).click();
    await page.getByText('It works: version 4.0.0').waitFor();
    const shown = (await page.evaluate('window.shown')) as string[];
    // Steps that come at once are drawn as one.
    expect(shown.some((text) => /^(?:resolving|downloading|checking): ./.test(text))).toBe(true);
    expect(await page.getByRole('button', { name: 'Versions of cline' }).count()).toBe(1);
  });

  it('say that somebody must log in, by which ways, where an agent refused a session', async () => {
    const refused = connectReeve(server).sessions.create({ cwd: tmpdir(), agent: 'shy' });
    await expect(refused).rejects.toMatchObject({ code: 'authentication_required' });
    await using console = await openConsole(browser, { ...server, path: '/agents', width: 360 });
    const { page } = console;
    const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'shy' }) });
    await card.getByText('login needed', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Try it: shy' }).click();
    await card.getByText('It answers, and wants a login').waitFor();
    await card.getByText('Ways to log in').waitFor();
    await card.getByText('Log in', { exact: true }).waitFor();
    expect(await card.locator('.bg-ok-soft', { hasText: 'wants a login' }).count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
  });
});
