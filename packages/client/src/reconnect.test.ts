import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { floodIndex, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AcpNotification, connectReeve } from './index.ts';

/** A wire to the server that breaks each time so many bytes have come over it. */
async function brittleWire(target: string, breakEveryBytes: number, breaks: number) {
  const { port } = new URL(target);
  const open = new Set<Socket>();
  let left = breaks;
  let passed = 0;
  const wire = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    open.add(near).add(far);
    near.pipe(far);
    far.on('data', (bytes) => {
      passed += bytes.byteLength;
      if (left > 0 && passed > breakEveryBytes) {
        left -= 1;
        passed = 0;
        near.resetAndDestroy();
        far.destroy();
        return;
      }
      if (!near.write(bytes)) far.pause();
    });
    near.on('drain', () => far.resume());
    for (const socket of [near, far]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(wire.address() as AddressInfo).port}`,
    breaksLeft: () => left,
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy();
      wire.close();
    },
  };
}

let server: SpawnedReeve;
beforeAll(async () => {
  server = await startReeve();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const textOf = ({ params }: AcpNotification): string => {
  const { update } = params as { update?: { sessionUpdate?: string; content?: { text?: string } } };
  return update?.sessionUpdate === 'agent_message_chunk' ? (update.content?.text ?? '') : '';
};

describe('a connection that keeps breaking', () => {
  it('gives every update of a flood once and in order, and the end of the turn', async () => {
    using wire = await brittleWire(server.url, 400_000, 6);
    const spec = { count: 20_000, bytes: 64 };
    const seen: (number | undefined)[] = [];
    await using acp = await connectReeve({ url: wire.url, token: server.token }).openAcp({
      onUpdate: (notification) => {
        const text = textOf(notification);
        if (text !== '') seen.push(floodIndex(spec, text));
      },
    });
    const { sessionId } = await acp.newSession({ cwd: tmpdir() });
    expect(await acp.prompt(sessionId, script({ flood: spec }))).toMatchObject({ stopReason: 'end_turn' });
    expect(wire.breaksLeft()).toBe(0);
    expect(seen).toEqual(Array.from({ length: spec.count }, (_, index) => index));
  });

  it('loads a whole history, begun again where it broke', async () => {
    const spec = { count: 10_000, bytes: 64 };
    await using first = await connectReeve(server).openAcp();
    const { sessionId } = await first.newSession({ cwd: tmpdir() });
    await first.prompt(sessionId, script({ flood: spec }));
    using wire = await brittleWire(server.url, 400_000, 3);
    const seen: (number | undefined)[] = [];
    await using acp = await connectReeve({ url: wire.url, token: server.token }).openAcp({
      onUpdate: (notification) => {
        const text = textOf(notification);
        if (text !== '') seen.push(floodIndex(spec, text));
      },
    });
    await acp.loadSession({ sessionId, cwd: tmpdir() }, { role: 'observer' });
    expect(wire.breaksLeft()).toBe(0);
    expect(seen).toEqual(Array.from({ length: spec.count }, (_, index) => index));
  });

  it('asks for a permission again, which then can be answered', async () => {
    using wire = await brittleWire(server.url, 1_000_000, 1);
    const asked: boolean[] = [];
    await using acp = await connectReeve({ url: wire.url, token: server.token }).openAcp({
      async onRequest({ params, signal }) {
        asked.push(signal.aborted);
        if (asked.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        const [option] = params.options as { optionId: string }[];
        return { outcome: { outcome: 'selected', optionId: option?.optionId } };
      },
    });
    const { sessionId } = await acp.newSession({ cwd: tmpdir() });
    const prompt = acp.prompt(sessionId, script({ permission: {} }));
    await expect.poll(() => asked.length).toBe(1);
    // Another turn's worth of bytes breaks the wire while the request is open.
    const { sessionId: other } = await acp.newSession({ cwd: tmpdir() });
    await acp.prompt(other, script({ flood: { count: 8000, bytes: 64 } }));
    expect(await prompt).toMatchObject({ stopReason: 'end_turn' });
    expect(asked).toHaveLength(2);
  });

  it('follows events over HTTP without a gap', async () => {
    using wire = await brittleWire(server.url, 300_000, 4);
    await using acp = await connectReeve(server).openAcp();
    const { sessionId } = await acp.newSession({ cwd: tmpdir() });
    await acp.prompt(sessionId, script({ flood: { count: 5000, bytes: 64 } }));
    const { lastSeq } = await connectReeve(server).sessions.show(sessionId);
    const seqs: number[] = [];
    for await (const { seq } of connectReeve({ url: wire.url, token: server.token }).followEvents(sessionId)) {
      seqs.push(seq);
      if (seq === lastSeq) break;
    }
    expect(wire.breaksLeft()).toBe(0);
    expect(seqs).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
  });
});
