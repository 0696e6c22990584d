import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type FloodSpec, fakeAgentCommand, type SpawnedReeve, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FloodReader,
  type FloodTally,
  floodPrompt,
  openFloodReader,
  type SeenUpdate,
  tallyFlood,
} from './flood-reader.ts';

const MiB = 1024 * 1024;
const CLIENTS = 20;
/** In CI, and with `REEVE_E2E_SLOW=1`: twenty clients get the long flood too, and the reader that stops does so for a minute. */
const slow = process.env.REEVE_E2E_SLOW === '1' || process.env.CI === 'true';
const cwd = tmpdir();

/** events.md, "The hot path"; the figures are those of the promise, not of the machine. */
describe('a flood of updates with the durable log on', () => {
  let reeve: SpawnedReeve;

  beforeAll(async () => {
    reeve = await startReeve({
      config: {
        agents: { fake: fakeAgentCommand() },
        defaultAgent: 'fake',
        limits: { connectionQueueBytes: QUEUE_BYTES },
      },
    });
  });
  afterAll(() => reeve?.[Symbol.asyncDispose]());

  it('of 200,000 arrives whole, in order, once', async () => {
    const spec: FloodSpec = { count: 200_000, bytes: 64 };
    await using reader = await openFloodReader(reeve);
    const sessionId = await newSession(reader);
    const tally = tallyFlood(spec);
    reader.onText(tally.take);
    const { stopReason } = await reader.peer.request('session/prompt', floodPrompt(sessionId, spec));
    expect(tally.fault).toBeUndefined();
    expect({ stopReason, count: tally.count }).toEqual({ stopReason: 'end_turn', count: spec.count });
  });

  it(
    `arrives whole, in order, once, at each of ${CLIENTS} clients`,
    async () => {
      const spec: FloodSpec = { count: slow ? 200_000 : 20_000, bytes: 64 };
      await using prompter = await openFloodReader(reeve);
      const sessionId = await newSession(prompter);
      await using others = new AsyncDisposableStack();
      const tallies = [tallyFlood(spec)];
      prompter.onText((update) => tallies[0]?.take(update));
      for (let index = 1; index < CLIENTS; index += 1) {
        const reader = others.use(await openFloodReader(reeve));
        const tally = tallyFlood(spec);
        tallies.push(tally);
        reader.onText(tally.take);
        await reader.peer.request('session/resume', { sessionId, cwd });
      }
      await prompter.peer.request('session/prompt', floodPrompt(sessionId, spec));
      await Promise.all(tallies.map(({ done }) => done));
      expect(tallies.map(({ fault }) => fault)).toEqual(Array.from({ length: CLIENTS }, () => undefined));
      expect(tallies.map(({ count }) => count)).toEqual(Array.from({ length: CLIENTS }, () => spec.count));
    },
    slow ? 300_000 : 120_000,
  );

  it(
    'loses nothing at a client that stops reading, and costs the server no more than its bound',
    async () => {
      const spec: FloodSpec = { count: 100_000, bytes: 512 };
      await using quick = await openFloodReader(reeve);
      const sessionId = await newSession(quick);
      const flood = async (): Promise<void> => {
        const tally = tallyFlood(spec);
        quick.onText(tally.take);
        await quick.peer.request('session/prompt', floodPrompt(sessionId, spec));
        expect({ fault: tally.fault, count: tally.count }).toEqual({ fault: undefined, count: spec.count });
      };
      // The same load without a reader that stops: what it needs is not the stopped reader's.
      for (let round = 0; round < FLOODS; round += 1) await flood();
      const before = residentBytes(reeve.pid);

      let stopped = await openFloodReader(reeve, { withSeq: true });
      const tallies = Array.from({ length: FLOODS }, () => tallyFlood(spec));
      const last = tallies.at(-1) as FloodTally;
      let cursor = 0;
      const listen = (update: SeenUpdate): void => {
        cursor = update.seq ?? cursor;
        (tallies.find(({ count }) => count < spec.count) ?? last).take(update);
      };
      stopped.onText(listen);
      await stopped.peer.request('session/resume', { sessionId, cwd });
      stopped.pause();
      for (let round = 0; round < FLOODS; round += 1) await flood();
      await new Promise((resolve) => setTimeout(resolve, slow ? 60_000 : 1_000));
      const grown = residentBytes(reeve.pid) - before;
      expect(grown).toBeLessThan(QUEUE_BYTES + NOISE_BYTES);

      stopped.resume();
      await Promise.race([last.done, stopped.closed]);
      if (last.count < spec.count) {
        // Silent for so long, it counted as gone: it comes back with the cursor that it has.
        await stopped[Symbol.asyncDispose]();
        stopped = await openFloodReader(reeve, { withSeq: true });
        stopped.onText(listen);
        const _meta = { 'sandboxagent.dev': { after: cursor } };
        await stopped.peer.request('session/load', { sessionId, cwd, mcpServers: [], _meta });
        await last.done;
      }
      await stopped[Symbol.asyncDispose]();
      expect(tallies.map(({ fault, count }) => ({ fault, count }))).toEqual(
        tallies.map(() => ({ fault: undefined, count: spec.count })),
      );
    },
    slow ? 180_000 : 120_000,
  );
});

/** What may wait for one connection in this test: far below the 65 MB of each flood. */
const QUEUE_BYTES = MiB;
/** What the garbage collector of a server under load leaves lying about: some 50 MB, with or without a reader that stops. */
const NOISE_BYTES = 96 * MiB;
const FLOODS = 2;

async function newSession({ peer }: FloodReader): Promise<string> {
  return (await peer.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] })).sessionId;
}

/** Memory of the process that is in RAM. Zero where the system does not tell. */
function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}
