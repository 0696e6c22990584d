import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FloodSpec, fakeAgentCommand, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LoggedEvent, readLog } from './control-calls.ts';
import { floodPrompt, openFloodReader, type SeenUpdate } from './flood-reader.ts';

const ROUNDS = 50;
const SESSIONS = 2;
/** From the first update of a flood to the end of the server, at most. */
const LONGEST_RUN_MS = 60;
const FLOOD: FloodSpec = { count: 60_000, bytes: 64 };

describe('a server that is killed', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reeve-crash-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(`in the middle of a flood, ${ROUNDS} times: what a client saw is in the log, without a gap, under a seq of its own`, async () => {
    const fake = fakeAgentCommand([`--state-dir=${join(folder, 'agent')}`, '--resume']);
    const config = { agents: { fake }, defaultAgent: 'fake', log: { level: 'warn' } };
    const dataDir = join(folder, 'data');
    let reeve = await startReeve({ config, dataDir });
    try {
      const sessions = await openSessions();
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all(sessions.map(floodUntilSomethingComes));
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_RUN_MS));
        await reeve.kill('SIGKILL');
        await Promise.all(sessions.map(({ reader }) => reader.closed));
        reeve = await reeve.restart();
        await Promise.all(
          sessions.map(async (session) => {
            const [log] = await Promise.all([readLog(reeve, session.sessionId, session.verified), comeBack(session)]);
            verify(session, log);
          }),
        );
      }
      expect(sessions.every(({ verified }) => verified > ROUNDS * 10)).toBe(true);
      for (const { reader } of sessions) await reader[Symbol.asyncDispose]();
    } finally {
      await reeve[Symbol.asyncDispose]();
    }

    async function openSessions(): Promise<Session[]> {
      const opened: Session[] = [];
      for (let index = 0; index < SESSIONS; index += 1) {
        const reader = await openFloodReader(reeve, { withSeq: true });
        const params = { cwd: folder, mcpServers: [] };
        const { sessionId } = await reader.peer.request<{ sessionId: string }>('session/new', params);
        opened.push({ sessionId, reader, verified: 0, seen: [] });
      }
      return opened;
    }

    async function comeBack(session: Session): Promise<void> {
      session.reader = await openFloodReader(reeve, { withSeq: true });
      await session.reader.peer.request('session/resume', { sessionId: session.sessionId, cwd: folder });
    }
  }, 180_000);
});

interface Session {
  readonly sessionId: string;
  reader: Awaited<ReturnType<typeof openFloodReader>>;
  /** The log up to here was compared in an earlier round. */
  verified: number;
  /** What its client was shown in this round. */
  seen: SeenUpdate[];
}

/** Begins a flood; nobody waits for its end, which the server does not live to see. */
async function floodUntilSomethingComes(session: Session): Promise<void> {
  const { reader, sessionId } = session;
  const first = Promise.withResolvers<void>();
  session.seen = [];
  reader.onText((update) => {
    session.seen.push(update);
    first.resolve();
  });
  reader.peer.request('session/prompt', floodPrompt(sessionId, FLOOD)).catch(() => undefined);
  await first.promise;
}

function verify(session: Session, log: readonly LoggedEvent[]): void {
  const from = session.verified + 1;
  const gap = log.findIndex(({ seq }, index) => seq !== from + index);
  expect(gap === -1 ? 'no gap' : `gap before ${log[gap]?.seq}`).toBe('no gap');
  const wrong = session.seen.find(({ seq = 0, text }) => textOf(log[seq - from]) !== text);
  expect(wrong).toBeUndefined();
  session.verified = log.at(-1)?.seq ?? session.verified;
}

function textOf(event: LoggedEvent | undefined): string | undefined {
  return (event?.message as { params?: { update?: { content?: { text?: string } } } } | undefined)?.params?.update
    ?.content?.text;
}
