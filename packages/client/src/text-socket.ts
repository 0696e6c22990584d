/** One WebSocket, from open to close. */
export interface TextSocket {
  send(text: string): void;
  /** Resolves when the socket is gone, whoever closed it; never rejects. */
  readonly closed: Promise<SocketEnd>;
  close(): void;
}

export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** Opens a socket; undefined when that fails, for browsers say no more. Text and binary frames are both given as text. */
export function openTextSocket(
  url: URL,
  Socket: typeof WebSocket,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<TextSocket | undefined> {
  return new Promise((resolveOpen) => {
    const socket = new Socket(url.href);
    socket.binaryType = 'arraybuffer';
    const decoder = new TextDecoder();
    const abort = (): void => socket.close();
    signal.addEventListener('abort', abort, { once: true });
    const closed = new Promise<SocketEnd>((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        signal.removeEventListener('abort', abort);
        resolve({ code, reason });
        resolveOpen(undefined);
      });
    });
    // A close always follows; without a listener some implementations throw.
    socket.addEventListener('error', () => {});
    socket.addEventListener('message', ({ data }) => {
      onText(typeof data === 'string' ? data : decoder.decode(data as ArrayBuffer));
    });
    socket.addEventListener('open', () => {
      resolveOpen({ send: (text) => socket.send(text), closed, close: () => socket.close(1000) });
    });
    if (signal.aborted) abort();
  });
}
