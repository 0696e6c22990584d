import type { ConnectionId, EventSeq, JsonRpcId, LeaseEpoch, SessionId } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsOf } from '../events/event-chunk.ts';
import { EventFeed } from '../events/event-feed.ts';
import type { EventLog } from '../events/event-log.ts';
import type { EventRun, FrameCodec } from '../events/event-run.ts';
import { createMemoryEventLog } from '../store/memory/memory-event-log.ts';
import type { ClientPort } from './client-port.ts';
import type { SessionServices } from './session-services.ts';
import type { SessionSink } from './session-sink.ts';
import { SessionStream } from './session-stream.ts';

const SESSION = 's' as SessionId;

/** A client whose socket the test fills and empties. */
class FakeClient implements ClientPort {
  readonly id: ConnectionId;
  readonly claimed = undefined;
  readonly transport = 'websocket';
  readonly label = 'fake';
  readonly profile = { clientCapabilities: {} };
  readonly features = { seq: false, turnEnded: false, requestResolved: false };
  readonly got: string[] = [];
  readonly dropped: string[] = [];
  readonly released: string[] = [];
  gone = false;
  full = false;
  resumable = false;
  #waiting: (() => void)[] = [];

  constructor(name: string) {
    this.id = name as ConnectionId;
  }

  drain(): void {
    this.full = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  sink(): SessionSink {
    const client = this;
    return {
      get backlogBytes() {
        return client.gone || client.full ? Number.POSITIVE_INFINITY : 0;
      },
      get resumable() {
        return client.resumable;
      },
      drained: () =>
        client.full && !client.gone ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(),
      send: (message) => void this.got.push(Buffer.from(message).toString()),
      sendRun: (run) => this.got.push(...messagesOf(run)),
    };
  }

  expectReply(): JsonRpcId {
    return 0;
  }

  forgetReply(): void {}

  release(streamId: SessionId): void {
    this.released.push(streamId);
  }

  drop(reason: string): void {
    this.dropped.push(reason);
    this.gone = true;
    this.drain();
  }
}

function messagesOf(run: EventRun): string[] {
  const found: string[] = [];
  const codec: FrameCodec = {
    frameBytes: () => 0,
    write: (_into, offset, source, start, end) => {
      found.push(source.toString('utf8', start, end));
      return offset;
    },
  };
  run.encode(codec);
  return found;
}

async function openStream(wrap: (log: EventLog) => EventLog = (log) => log) {
  const memory = createMemoryEventLog(() => {});
  const lease = await memory.acquire(SESSION, 'test', 60_000);
  const warnings: string[] = [];
  const services = {
    log: wrap(memory),
    feed: new EventFeed(),
    limits: { connectionQueueBytes: 1000 },
    warn: (message: string) => warnings.push(message),
  } as unknown as SessionServices;
  const stream = new SessionStream({
    services,
    sessionId: SESSION,
    epoch: (lease as { epoch: LeaseEpoch }).epoch,
    lastSeq: 0 as EventSeq,
    onFailure: () => {},
    failureError: () => ({ code: -32603, message: 'failed' }),
  });
  const say = (text: string): EventSeq =>
    stream.append({ source: 'agent', kind: 'update', message: Buffer.from(`{"t":"${text}"}`) });
  return { stream, say, warnings, memory };
}

const rest = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function settle(stream: SessionStream): Promise<void> {
  await stream.durable();
  for (let round = 0; round < 10; round += 1) await rest();
}

describe('an attachment', () => {
  it('answers a turn that ended while its client attached anew, once, wherever the client wants to go on', async () => {
    for (const places of [[Infinity], [0, Infinity], [0, 0], [Infinity, 0, Infinity], [1]]) {
      const { stream, say } = await openStream();
      const client = new FakeClient('c');
      stream.attach(client, 'controller', 0 as EventSeq, SESSION);
      say('a');
      await settle(stream);
      say('b');
      const end = '{"jsonrpc":"2.0","id":5,"result":{}}';
      stream.append({ source: 'agent', kind: 'turn_end', connection: client.id, message: Buffer.from(end) });
      for (const place of places) {
        stream.attach(client, 'controller', Math.min(place, stream.lastSeq) as EventSeq, SESSION);
      }
      await settle(stream);
      say('c');
      await settle(stream);
      expect(client.got.filter((text) => text === end)).toHaveLength(1);
      expect(client.got.at(-1)).toBe('{"t":"c"}');
      if (places.at(-1) === Infinity) expect(client.got).toEqual(['{"t":"a"}', end, '{"t":"c"}']);
    }
  });

  it('brings every event once and in order, and controls right after theirs, however the socket fills and empties', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), times: fc.integer({ min: 1, max: 30 }) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('control', 'fill', 'drain', 'note', 'attach again') }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('rest' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(20), async (steps, before) => {
        const { stream, say } = await openStream();
        for (let index = 0; index < before; index += 1) say(`${index}`);
        await settle(stream);
        const client = new FakeClient('c');
        const after = Math.floor(before / 2) as EventSeq;
        stream.attach(client, 'controller', after, SESSION);
        const expected = Array.from({ length: before - after }, (_, index) => `{"t":"${index + after}"}`);
        let count = before;
        for (const it of steps) {
          if (it.do === 'say') {
            for (let index = 0; index < (it as { times: number }).times; index += 1) {
              expected.push(`{"t":"${count}"}`);
              say(`${count}`);
              count += 1;
            }
          } else if (it.do === 'control') {
            expected.push(`control ${expected.length}`);
            stream.sendAfter(client, stream.lastSeq, Buffer.from(`control ${expected.length - 1}`));
          } else if (it.do === 'fill') client.full = true;
          else if (it.do === 'drain') client.drain();
          else if (it.do === 'note') stream.note('x');
          else if (it.do === 'rest') await rest();
        }
        client.drain();
        await settle(stream);
        const texts = (list: readonly string[]): string[] => list.filter((text) => text.startsWith('{'));
        expect(texts(client.got)).toEqual(texts(expected));
        // A control comes after what was said before it; what came with that in one write may come before it too.
        for (const [index, text] of expected.entries()) {
          if (text.startsWith('{')) continue;
          const place = client.got.indexOf(text);
          expect(client.got.filter((other) => other === text)).toHaveLength(1);
          expect(texts(client.got.slice(0, place)).length).toBeGreaterThanOrEqual(
            texts(expected.slice(0, index)).length,
          );
        }
        const controls = client.got.filter((text) => text.startsWith('control'));
        expect(controls).toEqual(expected.filter((text) => text.startsWith('control')));
      }),
      { numRuns: 150 },
    );
  });

  it('hands to the one that replaces it what it still owes: answers, and the end of a turn that was not sent', async () => {
    const { stream, say } = await openStream();
    const client = new FakeClient('c');
    stream.attach(client, 'controller', 0 as EventSeq, SESSION);
    say('a');
    await settle(stream);
    client.full = true;
    say('b');
    stream.sendAfter(client, stream.lastSeq, Buffer.from('an answer'));
    const end = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}');
    stream.append({ source: 'agent', kind: 'turn_end', connection: client.id, message: end });
    await settle(stream);
    stream.attach(client, 'controller', 0 as EventSeq, SESSION);
    client.drain();
    await settle(stream);
    expect(client.got).toEqual(['{"t":"a"}', '{"t":"a"}', '{"t":"b"}', 'an answer', end.toString()]);
    stream.attach(client, 'controller', 0 as EventSeq, SESSION);
    await settle(stream);
    expect(client.released).toEqual([]);
    stream.attach(client, 'controller', stream.lastSeq, 'its alias' as SessionId);
    expect(client.released).toEqual([SESSION]);
    stream.detach(client.id);
    expect(client.released).toEqual([SESSION, 'its alias']);
    // It is history now: the client has had its answer.
    expect(client.got.filter((text) => text === end.toString())).toHaveLength(1);
  });

  it('brings a slow client the rest when the session ends, and then lets go', async () => {
    const { stream, say } = await openStream();
    const client = new FakeClient('c');
    const attachment = stream.attach(client, 'controller', 0 as EventSeq, SESSION);
    client.full = true;
    for (let index = 0; index < 50; index += 1) say(`${index}`);
    await settle(stream);
    stream.finish();
    expect(attachment.detached).toBe(false);
    expect(stream.attachments).toEqual([]);
    client.drain();
    await settle(stream);
    expect(client.got).toHaveLength(50);
    expect(attachment.detached).toBe(true);
  });

  it('lets go of a client that is gone, instead of waiting for it', async () => {
    const { stream, say } = await openStream();
    const client = new FakeClient('c');
    client.gone = true;
    const attachment = stream.attach(client, 'controller', 0 as EventSeq, SESSION);
    say('a');
    await settle(stream);
    expect(attachment.detached).toBe(true);
    expect(client.got).toEqual([]);
  });

  it('drops a client that it cannot serve from the log, and no other', async () => {
    let broken = false;
    const { stream, say, warnings } = await openStream((log) => ({
      ...log,
      read: async (...args) => {
        if (broken) throw new Error('unreadable');
        return log.read(...args);
      },
    }));
    say('a');
    await settle(stream);
    const [live, late] = [new FakeClient('live'), new FakeClient('late')];
    stream.attach(live, 'controller', 0 as EventSeq, SESSION);
    await settle(stream);
    broken = true;
    stream.attach(late, 'controller', 0 as EventSeq, SESSION);
    say('b');
    await settle(stream);
    expect(late.dropped).toHaveLength(1);
    expect(live.got).toEqual(['{"t":"a"}', '{"t":"b"}']);
    expect(warnings).toHaveLength(1);
  });

  it('sends again after a rewind what came after the seq that the client has, with the controls between', async () => {
    const { stream, say, memory } = await openStream();
    const client = new FakeClient('c');
    client.resumable = true;
    const attachment = stream.attach(client, 'controller', 0 as EventSeq, SESSION);
    say('a');
    say('b');
    await settle(stream);
    stream.sendAfter(client, 2 as EventSeq, Buffer.from('answer'));
    say('c');
    await settle(stream);
    expect(client.got).toEqual(['{"t":"a"}', '{"t":"b"}', 'answer', '{"t":"c"}']);
    for (const [seq, again] of [
      [0, ['{"t":"a"}', '{"t":"b"}', 'answer', '{"t":"c"}']],
      [2, ['answer', '{"t":"c"}']],
      [3, []],
      [99, []],
    ] as const) {
      client.got.length = 0;
      attachment.rewind(seq as EventSeq);
      await settle(stream);
      expect(client.got).toEqual(again);
    }
    expect([...eventsOf((await memory.read(SESSION, 2 as EventSeq, 10))[0] as never)]).toHaveLength(1);
  });
});
