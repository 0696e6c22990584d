import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { receiveListeners } from './received-listeners.ts';

/** As much of a child with a channel as the receiver may touch. */
function channel() {
  const child = Object.assign(new EventEmitter(), {
    connected: true,
    disconnect: vi.fn(() => {
      child.connected = false;
      child.emit('disconnect');
    }),
  });
  const handle = () => ({ close: vi.fn() });
  const receive = (count: number, timeoutMs = 1_000) =>
    receiveListeners(child as unknown as ChildProcess, { count, timeoutMs });
  return { child, handle, receive };
}

describe('receiving listeners', () => {
  it('gives them when exactly those have come, and the channel has ended', async () => {
    const { child, handle, receive } = channel();
    const received = receive(2);
    const handles = [handle(), handle()];
    child.emit('message', { listener: 0 }, handles[0]);
    child.emit('message', { listener: 1 }, handles[1]);
    child.emit('disconnect');
    expect(await received).toEqual({ kind: 'received', handles });
    for (const { close } of handles) expect(close).not.toHaveBeenCalled();
    expect(child.eventNames()).toEqual([]);
  });

  it.each([
    ['one too many', [0, 1, 2]],
    ['another order', [1, 0]],
    ['the same twice', [0, 0]],
    ['another message', ['0']],
    ['no message', [undefined]],
  ])('fails at %s, closing what came and the channel', async (_, numbers) => {
    const { child, handle, receive } = channel();
    const received = receive(2);
    const handles = numbers.map((listener) => {
      const sent = handle();
      child.emit('message', listener === undefined ? null : { listener }, sent);
      return sent;
    });
    child.emit('disconnect');
    expect(await received).toMatchObject({ kind: 'failed' });
    expect(handles[0]?.close).toHaveBeenCalledTimes(1);
    expect(child.disconnect).toHaveBeenCalledTimes(1);
  });

  it('fails at a message without a handle', async () => {
    const { child, receive } = channel();
    const received = receive(1);
    child.emit('message', { listener: 0 }, undefined);
    expect(await received).toMatchObject({ kind: 'failed' });
    expect(child.connected).toBe(false);
  });

  it('is lost when the channel ends too early, and when it has ended before', async () => {
    const { child, handle, receive } = channel();
    const received = receive(2);
    const first = handle();
    child.emit('message', { listener: 0 }, first);
    child.connected = false;
    child.emit('disconnect');
    expect(await received).toEqual({ kind: 'lost' });
    expect(first.close).toHaveBeenCalledTimes(1);
    expect(await receive(1)).toEqual({ kind: 'lost' });
  });

  it('fails when the channel stays open, even if all has come', async () => {
    const { child, handle, receive } = channel();
    const received = receive(1, 20);
    const first = handle();
    child.emit('message', { listener: 0 }, first);
    expect(await received).toMatchObject({ kind: 'failed', message: expect.stringContaining('20 ms') });
    expect(first.close).toHaveBeenCalledTimes(1);
    expect(child.disconnect).toHaveBeenCalledTimes(1);
  });
});
