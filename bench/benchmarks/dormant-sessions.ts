import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentEpoch, EventSeq, SessionId } from '@reeve/protocol';
import { chunkOf } from '../../apps/server/src/events/event-chunk.ts';
import { openSqliteStore } from '../../apps/server/src/store/sqlite/sqlite-store.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { residentMb } from '../processes.ts';
import { inTurns } from '../rounds.ts';
import { spawnReeve } from '../servers/reeve.ts';
import { median } from '../statistics.ts';

export const dormantSessions: Benchmark = {
  name: 'dormant-sessions',
  title: 'What 10,000 sessions without a process cost a server that starts',
  async run({ quick, rounds, note }) {
    const count = quick ? 1000 : 10_000;
    const home = await mkdtemp(join(tmpdir(), 'reeve-bench-'));
    try {
      const full = { name: `${count.toLocaleString('en')} sessions`, dataDir: join(home, 'full') };
      const empty = { name: 'no sessions', dataDir: join(home, 'empty') };
      await fill(full.dataDir, count);
      await fill(empty.dataDir, 0);
      const starts = new Map<string, number[]>([
        [full.name, []],
        [empty.name, []],
      ]);
      const memory = new Map<string, number[]>([
        [full.name, []],
        [empty.name, []],
      ]);
      await inTurns([empty, full], rounds + 2, async ({ name, dataDir }) => {
        const startedAt = performance.now();
        await using reeve = await spawnReeve({ dataDir });
        const startMs = performance.now() - startedAt;
        await delay(500);
        starts.get(name)?.push(startMs);
        memory.get(name)?.push(residentMb(reeve.pid));
        note(`${name}: ${startMs.toFixed(0)} ms`);
      });
      const more = (of: Map<string, number[]>): number =>
        median(of.get(full.name) ?? []) - median(of.get(empty.name) ?? []);
      return {
        figures: [empty, full].flatMap(({ name }): Figure[] => [
          { who: name, what: 'start to healthy', unit: 'ms', samples: starts.get(name) ?? [] },
          { who: name, what: 'resident memory', unit: 'MB', samples: memory.get(name) ?? [] },
        ]),
        goals: [
          {
            what: `${full.name}, added start-up`,
            goal: '≤ 50 ms',
            value: `${more(starts).toFixed(0)} ms`,
            met: more(starts) <= 50,
          },
          {
            what: `${full.name}, added memory (nothing beyond what two starts differ by)`,
            goal: '≤ 2 MB',
            value: `${more(memory).toFixed(1)} MB`,
            met: more(memory) <= 2,
          },
        ],
        faults: [],
        remarks: [],
      };
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
};

/** Writes sessions with one event each, as a server would have left them. */
async function fill(directory: string, count: number): Promise<void> {
  await using store = await openSqliteStore({ directory });
  const add = async (): Promise<void> => {
    const sessionId = randomUUID() as string as SessionId;
    const lease = await store.events.acquire(sessionId, 'bench', 1000);
    if (lease.kind !== 'acquired') throw new Error(`a new session is held by ${lease.owner}`);
    const at = Date.now();
    const message = Buffer.from('{"type":"agent_started"}');
    await store.events.append(
      sessionId,
      lease.epoch,
      chunkOf(1 as EventSeq, [{ at, source: 'reeve', kind: 'note', message }]),
    );
    await store.events.release(sessionId, lease.epoch);
    await store.sessions.put({
      sessionId,
      agent: 'fake',
      agentSessionId: sessionId,
      cwd: tmpdir(),
      additionalDirectories: [],
      createdAt: at,
      updatedAt: at,
      agentEpoch: 1 as AgentEpoch,
      closed: false,
      setup: {},
      metadata: {},
    });
  };
  for (let done = 0; done < count; done += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - done) }, add));
  }
}
