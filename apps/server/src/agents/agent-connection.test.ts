import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentConnection, type AgentReply, type FromAgent } from './agent-connection.ts';
import { createPuppet, type PuppetProcess } from './held-process.rig.ts';

function connect(maxLineBytes = 1024): { puppet: PuppetProcess; connection: AgentConnection; noise: string[] } {
  const puppet = createPuppet();
  const noise: string[] = [];
  const connection = new AgentConnection({
    process: puppet.process,
    maxLineBytes,
    onNoise: (what) => noise.push(what),
  });
  return { puppet, connection, noise };
}

const request = (id: unknown, method: string, params: unknown = {}): Buffer =>
  Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
const update = (text: string): string => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { text } });

async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await turn();
}

describe('the connection to an agent', () => {
  it('gives each response to who asked, under whatever id and in whatever order they come', async () => {
    const ids = fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.constant(null));
    await fc.assert(
      fc.asyncProperty(
        fc.array(ids, { minLength: 1, maxLength: 20 }),
        fc.infiniteStream(fc.nat()),
        async (own, random) => {
          const { puppet, connection, noise } = connect();
          const replies = own.map(() => [] as AgentReply[]);
          own.forEach((id, index) => {
            connection.request(request(id, 'ask', { index, id }), (reply) => replies[index]?.push(reply));
          });
          await settle();
          const open = puppet.told.map(
            (line) => JSON.parse(line) as { id: unknown; params: { index: number; id: unknown } },
          );
          expect(open.map(({ params }) => params)).toEqual(own.map((id, index) => ({ index, id })));
          expect(new Set(open.map(({ id }) => JSON.stringify(id))).size).toBe(own.length);
          const unanswered = [...open];
          while (unanswered.length > 0) {
            const [next] = unanswered.splice((random.next().value ?? 0) % unanswered.length, 1);
            puppet.say(JSON.stringify({ jsonrpc: '2.0', id: next?.id, result: { index: next?.params.index } }));
          }
          await settle();
          for (const [index, got] of replies.entries())
            expect(got).toMatchObject([{ kind: 'result', result: { index } }]);
          expect(noise).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('changes nothing of a request but its id', async () => {
    const { puppet, connection } = connect();
    connection.request(
      Buffer.from('{"id" : "x", "z":1e2,"jsonrpc":"2.0","method":"m","params":{"\\u0061":[ 1.0 ]}}'),
      () => {},
    );
    await settle();
    expect(puppet.told).toEqual(['{"id" : 0, "z":1e2,"jsonrpc":"2.0","method":"m","params":{"\\u0061":[ 1.0 ]}}']);
  });

  it('keeps what comes before somebody listens, in order, and calls back before what follows a response', async () => {
    const { puppet, connection } = connect();
    const order: string[] = [];
    connection.request(request(1, 'session/new'), (reply) => order.push(reply.kind));
    for (const line of [update('a'), '{"jsonrpc":"2.0","id":0,"result":{}}', update('b')]) puppet.say(line);
    await settle();
    connection.listen({ onMessage: (_message, raw) => order.push(raw.toString()), onExit: () => order.push('exit') });
    puppet.say(update('c'));
    await settle();
    expect(order).toEqual(['result', update('a'), update('b'), update('c')]);
  });

  it('stops reading an agent that says too much before somebody listens, and loses nothing of it', async () => {
    const { puppet, connection, noise } = connect(1000);
    const texts = Array.from({ length: 5000 }, (_, index) => update(`${index}`));
    for (const text of texts) puppet.say(text);
    await settle();
    expect(puppet.process.stdout.isPaused()).toBe(true);
    const got: string[] = [];
    connection.listen({ onMessage: (_message, raw) => got.push(raw.toString()), onExit: () => {} });
    await expect.poll(() => got.length, { interval: 5 }).toBe(texts.length);
    expect(got).toEqual(texts);
    expect(noise).toEqual([]);
  });

  it('ends an agent that says too much before it answers', async () => {
    const { puppet, connection, noise } = connect(1000);
    const replies: AgentReply[] = [];
    connection.request(request(1, 'session/new'), (reply) => replies.push(reply));
    for (let index = 0; index < 100; index += 1) puppet.say(update(`${index}`));
    await expect.poll(() => replies, { interval: 5 }).toMatchObject([{ kind: 'gone' }]);
    expect(puppet.stops).toBeGreaterThan(0);
    expect(noise.join()).toContain('limits.maxLineBytes');
  });

  it('skips what is no message and never answers it', async () => {
    const { puppet, connection, noise } = connect(100);
    const got: FromAgent[] = [];
    connection.listen({ onMessage: (message) => got.push(message), onExit: () => {} });
    for (const line of [
      'hello',
      '{not json}',
      '[]',
      '{}',
      '{"jsonrpc":"2.0","id":77,"result":1}',
      'x'.repeat(200),
      update('ok'),
    ])
      puppet.say(line);
    await settle();
    expect(got).toHaveLength(1);
    expect(noise).toHaveLength(6);
    expect(puppet.told).toEqual([]);
  });

  it('makes UTF-8 of bytes that are none, so that no client is cut off for them', async () => {
    const { puppet, connection } = connect();
    const got: Buffer[] = [];
    connection.listen({ onMessage: (_message, raw) => got.push(raw), onExit: () => {} });
    const [head, tail] = update('|').split('|') as [string, string];
    puppet.say(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xc3]), Buffer.from(tail)]));
    puppet.say(update('\u{fffd} is no mistake'));
    await settle();
    expect(got.map((raw) => raw.toString())).toEqual([update('\u{fffd}\u{fffd}'), update('\u{fffd} is no mistake')]);
    expect(got[0]?.includes(0xff)).toBe(false);
  });

  it('survives a listener that throws', async () => {
    const { puppet, connection, noise } = connect();
    const got: string[] = [];
    connection.listen({
      onMessage: (_message, raw) => {
        got.push(raw.toString());
        if (got.length === 1) throw new Error('my fault');
      },
      onExit: () => {},
    });
    puppet.say(`${update('a')}\n${update('b')}`);
    await settle();
    expect(got).toEqual([update('a'), update('b')]);
    expect(noise.join()).toContain('my fault');
  });

  it('tells everybody who waits when the process ends, after what it said last, once', async () => {
    const { puppet, connection } = connect();
    const order: string[] = [];
    connection.listen({ onMessage: () => order.push('message'), onExit: ({ code }) => order.push(`exit ${code}`) });
    connection.request(request(1, 'a'), ({ kind }) => order.push(kind));
    puppet.say(update('last'));
    puppet.exit({ code: 3, signal: null });
    await expect.poll(() => order, { interval: 5 }).toEqual(['message', 'gone', 'exit 3']);
    connection.request(request(2, 'b'), ({ kind }) => order.push(`late ${kind}`));
    connection.send(Buffer.from('{}'));
    connection.listen({ onMessage: () => {}, onExit: () => order.push('told again') });
    expect(order.slice(3)).toEqual(['late gone', 'told again']);
    expect(connection.exit).toEqual({ code: 3, signal: null });
  });

  it('hears of the exit also while nobody reads', async () => {
    const { puppet, connection } = connect();
    const exits: unknown[] = [];
    connection.listen({ onMessage: () => {}, onExit: (exit) => exits.push(exit) });
    connection.pause();
    puppet.say(update('unread'));
    puppet.exit({ code: 0, signal: null });
    await expect.poll(() => exits, { interval: 5 }).toHaveLength(1);
  });
});
