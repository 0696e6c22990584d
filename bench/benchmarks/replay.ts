import { type FloodSpec, script } from '@reeve/testkit';
import type { Benchmark } from '../benchmark.ts';
import { FloodCheck } from '../clients/flood-check.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { newSession, promptText, spawnReeve } from '../servers/reeve.ts';
import { median } from '../statistics.ts';

export const replay: Benchmark = {
  name: 'replay',
  title: 'Attach to a session and get its 100,000 events',
  async run({ quick, rounds, note }) {
    const spec: FloodSpec = { count: quick ? 20_000 : 100_000, bytes: 64 };
    await using opened = new AsyncDisposableStack();
    const reeve = opened.use(await spawnReeve());
    const author = opened.use(await WebSocketClient.open(reeve));
    const sessionId = await newSession(author);
    await author.request('session/prompt', promptText(sessionId, script({ flood: spec })));
    await author[Symbol.asyncDispose]();

    const rates: number[] = [];
    const firsts: number[] = [];
    const faults: string[] = [];
    // One more than is counted: the first finds a cold cache.
    for (let round = 0; round <= rounds; round++) {
      await using client = await WebSocketClient.open(reeve);
      const check = new FloodCheck(spec);
      client.check(check);
      const startedAt = performance.now();
      // The response comes after the whole replay.
      await client.request('session/load', { sessionId, cwd: '/', mcpServers: [] });
      const tookMs = performance.now() - startedAt;
      const { lost, outOfOrder } = check.tally();
      if (lost > 0 || outOfOrder > 0)
        faults.push(`the replay lacked ${lost} events and had ${outOfOrder} out of order`);
      (round === 0 ? firsts : rates).push((spec.count / tookMs) * 1000);
      note(`round ${round}: ${Math.round(spec.count / tookMs)} k/s`);
    }
    const rate = median(rates);
    return {
      figures: [
        { who: 'Reeve', what: 'events replayed', unit: '/s', samples: rates },
        { who: 'Reeve', what: 'events replayed, the first time', unit: '/s', samples: firsts },
      ],
      goals: [
        {
          what: `attach and replay ${spec.count.toLocaleString('en')} events`,
          goal: '≥ 200 k/s',
          value: `${Math.round(rate / 1000)} k/s`,
          met: rate >= 200_000,
        },
      ],
      faults,
      remarks: [],
    };
  },
};
