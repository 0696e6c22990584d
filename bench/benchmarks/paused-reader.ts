import { setTimeout as delay } from 'node:timers/promises';
import { type FloodSpec, script } from '@reeve/testkit';
import type { Benchmark } from '../benchmark.ts';
import { FloodCheck } from '../clients/flood-check.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { watchMemory } from '../processes.ts';
import { newSession, promptText, spawnReeve } from '../servers/reeve.ts';

/** The default of `limits.connectionQueueBytes`. */
const BOUND_MB = (8 * 2 ** 20) / 1e6;

export const pausedReader: Benchmark = {
  name: 'paused-reader',
  title: 'A client that stops reading while another one reads a flood',
  async run({ quick, note }) {
    const pauseMs = quick ? 3000 : 60_000;
    const count = quick ? 20_000 : 100_000;
    /** Each flood has a name of its own: what is left of one must not be counted in the next. */
    const named = (label: string): FloodSpec => ({ count, bytes: 1024, label });
    await using opened = new AsyncDisposableStack();
    // Who reads nothing answers no ping either, and would be dropped, to come back with its cursor; here it is to stay.
    const reeve = opened.use(await spawnReeve({ timeouts: { vanishedMs: 4 * pauseMs } }));
    const reader = opened.use(await WebSocketClient.open(reeve));
    const paused = opened.use(await WebSocketClient.open(reeve));
    const sessionId = await newSession(reader);
    await paused.request('session/resume', { sessionId, cwd: '/', mcpServers: [] });
    const faults: string[] = [];

    const flood = async (spec: FloodSpec): Promise<{ peakMb: number; rate: number }> => {
      const check = new FloodCheck(spec);
      reader.check(check);
      const memory = watchMemory(reeve.pid);
      const startedAt = performance.now();
      await reader.request('session/prompt', promptText(sessionId, script({ flood: spec })));
      const { lost, outOfOrder, lastAtMs } = check.tally();
      if (lost > 0 || outOfOrder > 0) faults.push(`the reader lost ${lost} and had ${outOfOrder} out of order`);
      return { ...memory.stop(), rate: (spec.count / (lastAtMs - startedAt)) * 1000 };
    };

    // The heap of the server is grown to its working size first, by clients that both read.
    for (const label of ['first', 'second']) await flood(named(label));
    const reading = await flood(named('read'));
    const held = named('held');
    const check = new FloodCheck(held);
    paused.check(check);
    await paused.pause();
    const pausedAt = performance.now();
    const alone = await flood(held);
    const later = watchMemory(reeve.pid);
    note(`paused for ${pauseMs / 1000} s`);
    await delay(Math.max(0, pauseMs - (performance.now() - pausedAt)));
    const before = check.received;
    await paused.resume();
    const resumedAt = performance.now();
    while (!check.complete && performance.now() - resumedAt < 60_000) await delay(20);
    const caughtUpMs = performance.now() - resumedAt;
    const { lost, outOfOrder } = check.tally();
    if (lost > 0 || outOfOrder > 0) faults.push(`the paused client lost ${lost} and had ${outOfOrder} out of order`);
    const cost = Math.max(alone.peakMb, later.stop().peakMb) - reading.peakMb;

    return {
      figures: [
        { who: 'both read', what: 'rate of the reader', unit: '/s', samples: [reading.rate] },
        { who: 'one paused', what: 'rate of the reader', unit: '/s', samples: [alone.rate] },
        { who: 'both read', what: 'peak of resident memory', unit: 'MB', samples: [reading.peakMb] },
        { who: 'one paused', what: 'added to it', unit: 'MB', samples: [cost] },
        { who: 'one paused', what: 'updates that waited', unit: '', samples: [count - before] },
        { who: 'one paused', what: 'to catch up', unit: 'ms', samples: [caughtUpMs] },
      ],
      goals: [
        { what: 'lost by the paused client', goal: 'nothing', value: `${lost}`, met: lost === 0 && outOfOrder === 0 },
        {
          what: 'memory that a paused client costs',
          goal: `≤ ${BOUND_MB.toFixed(1)} MB (limits.connectionQueueBytes)`,
          value: `${cost.toFixed(1)} MB`,
          met: cost <= BOUND_MB,
        },
      ],
      faults,
      remarks: [],
    };
  },
};
