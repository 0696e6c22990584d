import { startAgent } from '@reeve/testkit';
import type { Benchmark, Figure } from '../benchmark.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { inTurns } from '../rounds.ts';
import { newSession, promptText, spawnReeve } from '../servers/reeve.ts';
import { openSandboxAgentSession, SANDBOX_AGENT, spawnSandboxAgent } from '../servers/sandbox-agent.ts';
import { median, quantile } from '../statistics.ts';

const DIRECT = 'direct stdio';
const DURABLE = 'Reeve';

interface Target {
  readonly name: string;
  prompt(): Promise<unknown>;
}

export const promptRoundTrip: Benchmark = {
  name: 'prompt-round-trip',
  title: 'A prompt that is echoed: from the client’s request to the turn’s end',
  async run({ quick, rounds, note }) {
    const each = quick ? 100 : 1000;
    await using opened = new AsyncDisposableStack();
    const remarks: string[] = [];

    const agent = opened.use(startAgent({ keepLog: false }));
    await agent.peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const direct = await agent.peer.request<{ sessionId: string }>('session/new', { cwd: '/', mcpServers: [] });
    const targets: Target[] = [
      { name: DIRECT, prompt: () => agent.peer.request('session/prompt', promptText(direct.sessionId, 'x')) },
    ];
    for (const [name, store] of [
      [DURABLE, 'sqlite'],
      ['Reeve, log off', 'memory'],
    ] as const) {
      const reeve = opened.use(await spawnReeve({ store }));
      const client = opened.use(await WebSocketClient.open(reeve));
      const sessionId = await newSession(client);
      targets.push({ name, prompt: () => client.request('session/prompt', promptText(sessionId, 'x')) });
    }
    try {
      const server = opened.use(await spawnSandboxAgent());
      const session = opened.use(await openSandboxAgentSession(server, 'prompts'));
      const prompt = (): Promise<unknown> => session.request('session/prompt', promptText(session.sessionId, 'x'));
      targets.push({ name: SANDBOX_AGENT, prompt });
    } catch (error) {
      remarks.push(`${SANDBOX_AGENT} was not run: ${(error as Error).message}`);
    }

    const half = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
    const late = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
    const take = async ({ prompt }: Target, count: number): Promise<number[]> => {
      const times: number[] = [];
      for (let index = 0; index < count; index++) {
        const startedAt = performance.now();
        await prompt();
        times.push(performance.now() - startedAt);
      }
      return times;
    };
    for (const target of targets) await take(target, 200);
    await inTurns(targets, rounds, async (target, round) => {
      const times = await take(target, each);
      half.get(target.name)?.push(quantile(times, 0.5));
      late.get(target.name)?.push(quantile(times, 0.99));
      note(`round ${round + 1}: ${target.name} p50 ${quantile(times, 0.5).toFixed(3)} ms`);
    });

    const figures = targets.flatMap(({ name }): Figure[] => [
      { who: name, what: 'round trip, p50', unit: 'ms', samples: half.get(name) ?? [] },
      { who: name, what: 'round trip, p99', unit: 'ms', samples: late.get(name) ?? [] },
    ]);
    const added = (of: Map<string, number[]>): number =>
      median((of.get(DURABLE) ?? []).map((value, round) => value - (of.get(DIRECT)?.[round] ?? 0)));
    const goal = (name: string, of: Map<string, number[]>, boundMs: number) => ({
      what: `durable round trip over WebSocket, added to direct stdio, ${name}`,
      goal: `≤ ${boundMs} ms`,
      value: `${added(of).toFixed(2)} ms`,
      met: added(of) <= boundMs,
    });
    return { figures, goals: [goal('p50', half, 0.4), goal('p99', late, 3)], faults: [], remarks };
  },
};
