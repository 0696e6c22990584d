import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { newSession, prompt } from './session-calls.rig.ts';

const BOUND = 2 * 1024 * 1024;
/** What the process holds of a running session beside its queues: measured at 0.4 MiB and less. */
const ELSE = 1024 * 1024;
const FLOOD = { count: 20_000, bytes: 4000 };

describe('the memory that a client costs which has stopped reading', () => {
  let rig: SessionRig;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'reeve-paused-'));
    const store = await openSqliteStore({ directory: dataDir });
    rig = await startRig({ store, limits: { connectionQueueBytes: BOUND } });
  });
  afterAll(async () => {
    await rig?.[Symbol.asyncDispose]();
    await rig?.store[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is its byte bound and no more, while the session floods and others read on', async () => {
    const peer = await rig.connect({ keepLog: false });
    const sessionId = await newSession(rig, peer);
    const flood = (): Promise<unknown> => prompt(peer, sessionId, [{ flood: FLOOD }]);
    await flood();
    const before = await liveBytes();

    const socket = new WebSocket(rig.url);
    const ids: unknown[] = [];
    socket.on('message', (data) => ids.push((JSON.parse(String(data)) as { id?: unknown }).id));
    const send = (id: number, method: string, params: object): void =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await new Promise((resolve) => socket.once('open', resolve));
    send(1, 'initialize', { protocolVersion: 1 });
    await eventually(() => ids).toContain(1);
    send(2, 'session/resume', { sessionId, cwd: rig.cwd });
    await eventually(() => ids).toContain(2);
    socket.pause();
    await flood();
    const waiting = rig.sockets.at(-1)?.writableLength ?? 0;
    expect(waiting).toBeGreaterThan(BOUND / 2);
    expect(waiting).toBeLessThanOrEqual(BOUND);
    expect((await liveBytes()) - before).toBeLessThan(BOUND + ELSE);
    socket.terminate();
  });
});

/** What is reachable on this thread, after all garbage is collected. */
async function liveBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 4; round += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
