import type { ChildProcess } from 'node:child_process';

/** A listening socket of a child's network, for `server.listen(handle)`; whoever takes it closes it with its server. */
export type ListenerHandle = object & { close(): void };

export type Received =
  | { readonly kind: 'received'; readonly handles: readonly ListenerHandle[] }
  /** The channel ended too early: the process did not come as far as its gate, or the gate could not listen. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly message: string };

export interface ReceiveOptions {
  readonly count: number;
  readonly timeoutMs: number;
}

const somethingElse =
  'The sandbox sent something else than its listeners, so its network is closed. Start the session again.';

/**
 * Takes the listeners that the gate of a child hands over: exactly `count`, in order, and then the end of the channel,
 * all in time. After anything else no handle is left open and the channel is closed. To be called in
 * the tick of the child's start, since nothing keeps a message that comes before.
 */
export function receiveListeners(child: ChildProcess, { count, timeoutMs }: ReceiveOptions): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>();
  const handles: ListenerHandle[] = [];

  const settle = (received: Received) => {
    clearTimeout(timer);
    child.off('message', take);
    child.off('disconnect', end);
    child.off('error', end);
    if (received.kind !== 'received') {
      for (const handle of handles) handle.close();
      if (child.connected) child.disconnect();
    }
    resolve(received);
  };
  const take = (message: unknown, handle: unknown) => {
    const expected = handles.length;
    if (isListener(handle)) handles.push(handle);
    if (expected === count || handles.length === expected || !isNumbered(message, expected)) {
      settle({ kind: 'failed', message: somethingElse });
    }
  };
  const end = () => settle(handles.length === count ? { kind: 'received', handles } : { kind: 'lost' });
  const timer = setTimeout(() => {
    const message = `The network of the sandbox did not stand within ${timeoutMs} ms, which a busy machine can cause. Try again.`;
    settle({ kind: 'failed', message });
  }, timeoutMs);

  child.on('message', take);
  child.on('disconnect', end);
  child.on('error', end);
  if (!child.connected) end();
  return promise;
}

function isListener(handle: unknown): handle is ListenerHandle {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
}

function isNumbered(message: unknown, index: number): boolean {
  return typeof message === 'object' && message !== null && 'listener' in message && message.listener === index;
}
