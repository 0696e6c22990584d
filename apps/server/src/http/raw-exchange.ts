import { connect } from 'node:net';

/**
 * Sends bytes to a server as they are, in one piece or several, and gives what comes back until the server closes or
 * has been silent for `quietMs` after its first byte. `halfClose`: says that nothing more will come. For tests that no HTTP client could write.
 */
export async function rawExchange(
  port: number,
  parts: readonly (string | Buffer)[],
  { quietMs = 150, timeoutMs = 5_000, halfClose = false } = {},
): Promise<{ readonly text: string; readonly closed: boolean }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  let quiet: NodeJS.Timeout | undefined;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    clearTimeout(quiet);
    quiet = setTimeout(resolve, quietMs);
  });
  socket.once('close', () => {
    closed = true;
    resolve();
  });
  for (const part of parts) {
    if (socket.destroyed) break;
    socket.write(part);
    await new Promise((next) => setImmediate(next));
  }
  if (halfClose) socket.end();
  await promise;
  clearTimeout(timer);
  clearTimeout(quiet);
  socket.destroy();
  return { text, closed };
}
