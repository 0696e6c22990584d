import type { Socket } from 'node:net';

/** The open connections of one child, however they came. Disposing destroys them, and all that come later. */
export interface ConnectionBudget extends Disposable {
  /** Counts the socket until it closes; false, and destroyed, if there is no room. */
  admit(socket: Socket): boolean;
}

/** @param onFull told when a connection is refused, and not again until one was taken. */
export function createConnectionBudget(maxConnections: number, onFull: () => void): ConnectionBudget {
  const open = new Set<Socket>();
  let told = false;
  let closed = false;
  return {
    admit(socket) {
      if (closed || open.size >= maxConnections) {
        socket.destroy();
        if (!closed && !told) onFull();
        told = true;
        return false;
      }
      told = false;
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return true;
    },
    [Symbol.dispose]() {
      closed = true;
      for (const socket of open) socket.destroy();
    },
  };
}
