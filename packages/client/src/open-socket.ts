import { socketProtocols } from '@reeve/protocol';

/** One WebSocket, from open to close. */
export interface OpenSocket {
  send(text: string): void;
  /** Resolves when the socket is gone, whoever closed it; never rejects. */
  readonly closed: Promise<SocketEnd>;
  close(): void;
  /** Nobody is there any more to close it with: it counts as gone at once, and nothing comes over it. */
  abandon(): void;
}

export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** The longest that a server may take to open a socket, ms: over a line from before the sleep of a machine it never does. */
const OPEN_MS = 15_000;

/** What is needed to reach a WebSocket of the server. */
export interface SocketAddress {
  readonly url: URL;
  readonly token: string | undefined;
  readonly WebSocket: typeof WebSocket;
}

/** Opens a socket; undefined when that fails, for browsers say no more. Binary messages are given as bytes. */
export function openSocket(
  { url, token, WebSocket: Socket }: SocketAddress,
  onMessage: (data: string | Uint8Array) => void,
  signal: AbortSignal,
): Promise<OpenSocket | undefined> {
  return new Promise((resolveOpen) => {
    const socket = new Socket(url.href, [...socketProtocols(token)]);
    socket.binaryType = 'arraybuffer';
    const abort = (): void => socket.close();
    signal.addEventListener('abort', abort, { once: true });
    const late = setTimeout(abort, OPEN_MS);
    let isGone = false;
    const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<SocketEnd>();
    const end = (how: SocketEnd): void => {
      isGone = true;
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
      resolveClosed(how);
      resolveOpen(undefined);
    };
    socket.addEventListener('close', ({ code, reason }) => end({ code, reason }));
    // A close always follows; without a listener some implementations throw.
    socket.addEventListener('error', () => {});
    socket.addEventListener('message', ({ data }) => {
      if (!isGone) onMessage(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
    });
    socket.addEventListener('open', () => {
      clearTimeout(late);
      const abandon = (): void => {
        end({ code: 1006, reason: 'nothing was heard any more' });
        socket.close();
      };
      resolveOpen({ send: (text) => socket.send(text), closed, close: () => socket.close(1000), abandon });
    });
    if (signal.aborted) abort();
  });
}
