import { connectReeve, type Reeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, type Step, script, startReeve } from '@reeve/testkit';
import type { Browser } from 'playwright-core';
import { type ConsoleOptions, type ConsolePage, openChromium, openConsole } from './open-console.ts';

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

export async function openConsoleLab(flags: readonly string[] = []): Promise<ConsoleLab> {
  await using opened = new AsyncDisposableStack();
  const config = { agents: { fake: fakeAgentCommand(flags) }, defaultAgent: 'fake' };
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
