import type { StreamOpening, StreamReceipt } from '@reeve/protocol';
import type { OpenStream } from './http-caller.ts';
import { type OpenSocket, openSocket, type SocketAddress } from './open-socket.ts';

/** Bytes that a server may send before it is told that something was read: what a page that is busy has in its memory. */
export const WINDOW_BYTES = 4 * 1024 * 1024;
/** The server is told before it has to wait. */
const TELL_AFTER_BYTES = WINDOW_BYTES / 4;

/**
 * An event stream over a WebSocket (`STREAM_PARAMETER` of @reeve/protocol); the address has `WINDOW_BYTES` as its window. Undefined when it cannot be
 * opened. Aborting `signal` ends it, then and later.
 */
export async function openSocketStream(address: SocketAddress, signal: AbortSignal): Promise<OpenStream | undefined> {
  const opening = Promise.withResolvers<StreamOpening | undefined>();
  const unread: Uint8Array[] = [];
  let isOver = false;
  let wake = (): void => {};
  const socket = await openSocket(
    address,
    (data) => {
      if (typeof data === 'string') return opening.resolve(parseOpening(data));
      unread.push(data);
      wake();
    },
    signal,
  );
  if (!socket) return undefined;
  const leave = (): void => socket.abandon();
  signal.addEventListener('abort', leave, { once: true });
  void socket.closed.then(() => {
    signal.removeEventListener('abort', leave);
    isOver = true;
    opening.resolve(undefined);
    wake();
  });
  const opened = await opening.promise;
  if (!opened) {
    leave();
    return undefined;
  }
  const tell = receipts(socket);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (unread.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
        const bytes = unread.shift();
        if (!bytes) return controller.close();
        controller.enqueue(bytes);
        tell(bytes.byteLength);
      },
      cancel: leave,
    },
    // What nobody asked for yet was not read.
    { highWaterMark: 0 },
  );
  return { body, heartbeatMs: opened.heartbeatMs };
}

function parseOpening(text: string): StreamOpening | undefined {
  try {
    const { heartbeatMs } = JSON.parse(text) as StreamOpening;
    return Number.isSafeInteger(heartbeatMs) && heartbeatMs > 0 ? { heartbeatMs } : undefined;
  } catch {
    return undefined;
  }
}

/** Tells the server now and then how much was read. */
function receipts(socket: OpenSocket): (bytes: number) => void {
  let read = 0;
  let told = 0;
  return (bytes) => {
    read += bytes;
    if (read - told < TELL_AFTER_BYTES) return;
    told = read;
    socket.send(JSON.stringify({ read } satisfies StreamReceipt));
  };
}
