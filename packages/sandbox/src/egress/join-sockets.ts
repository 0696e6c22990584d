import type { Duplex } from 'node:stream';

/** A connection as `joinSockets` needs it; `net.Socket` is one. */
export interface JoinedSocket extends Duplex {
  setTimeout(ms: number, onTimeout?: () => void): unknown;
}

/**
 * Carries bytes both ways until both directions have ended, each as fast as its reader. An end is passed on; after the
 * first one, silence for `halfOpenTimeoutMs` closes both. What ends one before its time destroys the other. Nothing is
 * emitted as an unhandled error.
 */
export function joinSockets(a: JoinedSocket, b: JoinedSocket, halfOpenTimeoutMs: number): void {
  const destroy = () => {
    a.destroy();
    b.destroy();
  };
  const afterEnd = () => {
    for (const socket of [a, b]) {
      socket.setTimeout(halfOpenTimeoutMs);
      socket.once('timeout', destroy);
    }
  };
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', destroy);
    if (from.readableEnded) afterEnd();
    else from.once('end', afterEnd);
    from.once('close', () => {
      if (!from.readableEnded || !from.writableFinished) to.destroy();
    });
    from.pipe(to);
  }
  if (a.destroyed || b.destroyed) destroy();
}
