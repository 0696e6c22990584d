import { tmpdir } from 'node:os';
import { type AgentCommand, fakeAgentCommand, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { FloodCheck } from '../clients/flood-check.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import type { FloodTarget } from '../flood-target.ts';

export interface ReeveOptions {
  /** The only agent; the fake agent unless given. */
  readonly agent?: AgentCommand;
  readonly store?: 'sqlite' | 'memory';
  readonly limits?: Readonly<Record<string, number>>;
  readonly timeouts?: Readonly<Record<string, number>>;
  readonly dataDir?: string;
}

/** A server as a user starts it, in its own process, with one agent. */
export function spawnReeve(options: ReeveOptions = {}): Promise<SpawnedReeve> {
  const { agent = fakeAgentCommand(), store = 'sqlite', limits = {}, timeouts = {}, dataDir } = options;
  const agents = { fake: agent };
  const config = { agents, defaultAgent: 'fake', store, limits, timeouts, log: { level: 'error' } };
  return startReeve({ config, ...(dataDir === undefined ? {} : { dataDir }) });
}

export async function newSession(client: WebSocketClient): Promise<string> {
  const { sessionId } = await client.request<{ sessionId: string }>('session/new', { cwd: tmpdir(), mcpServers: [] });
  return sessionId;
}

export function promptText(sessionId: string, text: string): object {
  return { sessionId, prompt: [{ type: 'text', text }] };
}

/** Reeve between a fake agent and one client over WebSocket. */
export async function openReeveRelay(name: string, options: ReeveOptions): Promise<FloodTarget> {
  const reeve = await spawnReeve(options);
  const client = await WebSocketClient.open(reeve);
  let sessionId = await newSession(client);
  let used = false;
  return {
    name,
    serverPid: reeve.pid,
    async flood(spec) {
      // In memory a log that grows from round to round would be measured, not the relay.
      if (used && options.store === 'memory') {
        await client.request('session/delete', { sessionId });
        sessionId = await newSession(client);
      }
      used = true;
      const check = new FloodCheck(spec);
      client.check(check);
      const startedAt = performance.now();
      // The turn's end is ordered after its updates: when it is here, they are.
      await client.request('session/prompt', promptText(sessionId, script({ flood: spec })));
      const tally = check.tally();
      return { tookMs: tally.lastAtMs - startedAt, tally };
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await reeve[Symbol.asyncDispose]();
    },
  };
}
