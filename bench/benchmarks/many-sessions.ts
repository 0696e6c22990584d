import { type PacedSpec, parsePacedText, script, wallClockMs } from '@reeve/testkit';
import type { Benchmark } from '../benchmark.ts';
import { WebSocketClient } from '../clients/web-socket-client.ts';
import { commandOf, descendants, processorMs } from '../processes.ts';
import { newSession, promptText, spawnReeve } from '../servers/reeve.ts';
import { quantile } from '../statistics.ts';

const PER_SECOND = 50;

export const manySessions: Benchmark = {
  name: 'many-sessions',
  title: `Many sessions at once, ${PER_SECOND} updates a second each`,
  async run({ quick, note }) {
    const sessions = quick ? 20 : 200;
    const spec: PacedSpec = { perSecond: PER_SECOND, seconds: quick ? 2 : 10, bytes: 64 };
    await using opened = new AsyncDisposableStack();
    const reeve = opened.use(
      await spawnReeve({ limits: { maxSessionsLive: sessions + 10, maxConnections: sessions + 10 } }),
    );

    const delays: number[] = [];
    let expected = 0;
    const outOfOrder: number[] = [];
    /** Updates of the first second are not counted: the agents begin together, and their code is not warm. */
    const warm = PER_SECOND;
    const open = async (): Promise<{ client: WebSocketClient; sessionId: string; received: () => number }> => {
      let next = 0;
      const client = opened.use(
        await WebSocketClient.open({
          ...reeve,
          onMessage: (bytes, start, end) => {
            const text = /"text":"([^"]*)"/.exec(bytes.toString('latin1', start, end))?.[1];
            const mark = text === undefined ? undefined : parsePacedText(text);
            if (mark === undefined) return;
            if (mark.index !== next) outOfOrder.push(mark.index);
            next = mark.index + 1;
            if (mark.index >= warm) delays.push(wallClockMs() - mark.sentAtMs);
          },
        }),
      );
      return { client, sessionId: await newSession(client), received: () => next };
    };

    const all: Awaited<ReturnType<typeof open>>[] = [];
    while (all.length < sessions) {
      all.push(...(await Promise.all(Array.from({ length: Math.min(8, sessions - all.length) }, open))));
      note(`${all.length} sessions`);
    }
    expected = PER_SECOND * spec.seconds;
    const agents = descendants(reeve.pid).filter((pid) => commandOf(pid).includes('fake-agent'));
    const used = (): readonly [number, number] => [
      processorMs(reeve.pid),
      agents.reduce((sum, pid) => sum + processorMs(pid), 0),
    ];
    const [serverBefore, agentsBefore] = used();
    const startedAt = performance.now();
    await Promise.all(
      all.map(({ client, sessionId }) =>
        client.request('session/prompt', promptText(sessionId, script({ paced: spec }))),
      ),
    );
    const tookMs = performance.now() - startedAt;
    const [serverAfter, agentsAfter] = used();
    const cores = (before: number, after: number): number => (after - before) / tookMs;

    const wrong = all.filter(({ received }) => received() !== expected).length;
    const faults =
      wrong > 0 || outOfOrder.length > 0 ? [`${wrong} of ${sessions} sessions were not delivered whole`] : [];
    const p99 = quantile(delays, 0.99);
    const what = 'from the agent’s write to the client';
    return {
      figures: [
        { who: `${sessions} sessions`, what: `${what}, p50`, unit: 'ms', samples: [quantile(delays, 0.5)] },
        { who: `${sessions} sessions`, what: `${what}, p99`, unit: 'ms', samples: [p99] },
        {
          who: `${sessions} sessions`,
          what: 'updates in total',
          unit: '/s',
          samples: [(sessions * expected * 1000) / tookMs],
        },
        { who: 'Reeve', what: 'cores in use', unit: '', samples: [cores(serverBefore, serverAfter)] },
        { who: 'the agents', what: 'cores in use', unit: '', samples: [cores(agentsBefore, agentsAfter)] },
      ],
      goals: [{ what: `${sessions} sessions, p99`, goal: '≤ 10 ms', value: `${p99.toFixed(1)} ms`, met: p99 <= 10 }],
      faults,
      remarks: [`${sessions} agents are Node processes on the same cores: what they cost each other is in the figure`],
    };
  },
};
