import { connect, isIPv4, type Socket } from 'node:net';

export interface DialOptions {
  /** Tried in this order, each for a second at most if another follows. Never resolved again. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Ends the attempt; the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

const attemptTimeoutMs = 1_000;

/**
 * Opens a connection to the first address that takes it. The socket may be half open; an error of it is
 * not unhandled, and closes it.
 */
export async function dial({ addresses, port, signal }: DialOptions): Promise<Socket> {
  signal.throwIfAborted();
  const candidates = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  const socket = connect({
    host: 'checked.invalid',
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    lookup: (_name, _options, done) => done(null, candidates),
  });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const give = () => resolve(socket);
  const giveUp = () => reject(signal.reason);
  socket.once('connect', give);
  socket.on('error', reject); // Stays, so that no later error is unhandled.
  signal.addEventListener('abort', giveUp);
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    socket.off('connect', give);
    signal.removeEventListener('abort', giveUp);
  }
}
