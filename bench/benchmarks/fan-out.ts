import { type FloodSpec, script } from '@reeve/testkit';
import type { Benchmark, Figure } from '../benchmark.ts';
import { FloodCheck } from '../clients/flood-check.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { inTurns } from '../rounds.ts';
import { newSession, promptText, spawnReeve } from '../servers/reeve.ts';
import { medianRatio } from '../statistics.ts';

const CLIENTS = 20;

export const fanOut: Benchmark = {
  name: 'fan-out',
  title: `Updates of 64 B to ${CLIENTS} WebSocket clients of one session`,
  async run({ quick, rounds, note }) {
    const spec: FloodSpec = { count: quick ? 20_000 : 200_000, bytes: 64 };
    await using opened = new AsyncDisposableStack();
    const reeve = opened.use(await spawnReeve());
    const open = async (count: number): Promise<{ clients: WebSocketClient[]; sessionId: string; name: string }> => {
      const clients: WebSocketClient[] = [];
      for (let index = 0; index < count; index++) clients.push(opened.use(await WebSocketClient.open(reeve)));
      const [first, ...others] = clients as [WebSocketClient, ...WebSocketClient[]];
      const sessionId = await newSession(first);
      for (const client of others) await client.request('session/resume', { sessionId, cwd: '/', mcpServers: [] });
      return { clients, sessionId, name: count === 1 ? '1 client' : `${count} clients` };
    };
    const groups = [await open(1), await open(CLIENTS)];
    const rates = new Map<string, number[]>(groups.map(({ name }) => [name, []]));
    const faults: string[] = [];

    await inTurns(groups, rounds, async ({ clients, sessionId, name }, round) => {
      const checks = clients.map((client) => {
        const check = new FloodCheck(spec);
        client.check(check);
        return check;
      });
      const startedAt = performance.now();
      await clients[0]?.request('session/prompt', promptText(sessionId, script({ flood: spec })));
      await allArrived(checks);
      const tallies = checks.map((check) => check.tally());
      const tookMs = Math.max(...tallies.map(({ lastAtMs }) => lastAtMs)) - startedAt;
      const received = tallies.reduce((sum, tally) => sum + tally.received, 0);
      rates.get(name)?.push((received / tookMs) * 1000);
      note(`round ${round + 1}: ${name} ${Math.round(received / tookMs)} k/s in total`);
      const wrong = tallies.filter(({ lost, outOfOrder }) => lost > 0 || outOfOrder > 0).length;
      if (wrong > 0) faults.push(`${wrong} of ${clients.length} clients lost updates or had them out of order`);
    });

    const figures = groups.map(
      ({ name }): Figure => ({ who: name, what: 'updates in total', unit: '/s', samples: rates.get(name) ?? [] }),
    );
    const [one, many] = groups.map(({ name }) => rates.get(name) ?? []) as [number[], number[]];
    const ratio = medianRatio(many, one);
    const goal = {
      what: `${CLIENTS} clients in total, against one`,
      goal: '≥ 3 ×',
      value: `${ratio.toFixed(2)} ×`,
      met: ratio >= 3,
    };
    return { figures, goals: [goal], faults, remarks: [] };
  },
};

/** The others may be behind the one that asked. Gives up when nothing came for five seconds: what is missing is lost. */
async function allArrived(checks: readonly FloodCheck[]): Promise<void> {
  let seen = -1;
  let silentMs = 0;
  while (checks.some(({ complete }) => !complete) && silentMs < 5000) {
    const now = checks.reduce((sum, { received }) => sum + received, 0);
    silentMs = now === seen ? silentMs + 20 : 0;
    seen = now;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
