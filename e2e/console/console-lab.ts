import { resolve } from 'node:path';
import { connectReeve, type Reeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, type Step, script, startReeve } from '@reeve/testkit';
import type { Browser } from 'playwright-core';
import { type ConsoleOptions, type ConsolePage, openChromium, openConsole } from './open-console.ts';

const top = resolve(import.meta.dirname, '../..');

/** A server with the fake agent, and a browser to look at it. Disposing ends both. */
export interface ConsoleLab extends AsyncDisposable {
  readonly server: SpawnedReeve;
  readonly api: Reeve;
  readonly browser: Browser;
  /** A page that is signed in; in a browser profile of its own. */
  open(options?: Partial<ConsoleOptions>): Promise<ConsolePage>;
  /** A session in `/tmp`; its id. */
  session(title: string): Promise<string>;
  /** Begins a turn in which the fake agent takes these steps. */
  begin(sessionId: string, ...steps: readonly Step[]): Promise<void>;
}

/**
 * The fake agent with these flags, in a sandbox that shows it its own files beside its roots; not `confined` where a test is about
 * that. `more` is of the server's configuration.
 */
export async function openConsoleLab(
  flags: readonly string[] = [],
  confined = true,
  more: object = {},
): Promise<ConsoleLab> {
  await using opened = new AsyncDisposableStack();
  const fake = { ...fakeAgentCommand(flags), ...(confined ? { sandbox: { readOnly: [top] } } : {}) };
  const config = {
    agents: { fake },
    defaultAgent: 'fake',
    ...(confined ? { sandbox: { require: 'enforced' } } : {}),
    ...more,
  };
  const [server, browser] = await Promise.all([startReeve({ config }), openChromium()]);
  opened.use(server);
  opened.defer(() => browser.close());
  const { url, token } = server;
  const api = connectReeve({ url, token });
  const resources = opened.move();
  return {
    server,
    api,
    browser,
    open: (options = {}) => openConsole(browser, { url, token, ...options }),
    async session(title) {
      return (await api.sessions.create({ cwd: '/tmp', metadata: { title } })).session.sessionId;
    },
    async begin(sessionId, ...steps) {
      await api.sessions.beginPrompt(sessionId, { prompt: script(...steps) });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
