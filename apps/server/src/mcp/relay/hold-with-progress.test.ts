import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentPeer } from './agent-peer.ts';
import { Exchange } from './exchange.ts';
import { holdWithProgress } from './hold-with-progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function call(meta: object) {
  const sent: string[] = [];
  const exchange = new Exchange({
    peer: {} as AgentPeer,
    id: 1,
    method: 'tools/call',
    params: { name: 'x', _meta: meta },
    raw: Buffer.from('{}'),
    reply: { send: (raw) => void sent.push(raw.toString()), answer: (raw) => void sent.push(raw.toString()) },
  });
  return { exchange, sent };
}

describe('a call that is held', () => {
  it('tells the agent every 10 s that it is, under its own token, and no more once it is decided', async () => {
    const { exchange, sent } = call({ progressToken: 'mine' });
    const { promise, resolve } = Promise.withResolvers<string>();
    const held = holdWithProgress(exchange, promise);
    vi.advanceTimersByTime(9_999);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(20_001);
    expect(sent.map((text) => JSON.parse(text).params)).toEqual(
      [1, 2, 3].map((progress) => ({ progressToken: 'mine', progress, message: 'waiting for approval' })),
    );
    resolve('yes');
    expect(await held).toBe('yes');
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(3);
  });

  it('is silent for an agent that wants no progress, and once the agent has taken it back', () => {
    const silent = call({});
    void holdWithProgress(silent.exchange, new Promise(() => {}));
    const gone = call({ progressToken: 1 });
    void holdWithProgress(gone.exchange, new Promise(() => {}));
    gone.exchange.takeBack('tired');
    vi.advanceTimersByTime(60_000);
    expect([...silent.sent, ...gone.sent]).toEqual([]);
  });
});
