import type { Readable, Writable } from 'node:stream';
import { WebSocket } from 'ws';
import { splitLines } from './split-lines.ts';

/** Carries whole JSON texts both ways; what a peer speaks over. */
export interface MessageTransport {
  send(text: string): void;
  /** Called once. `onClose` comes once, after the last `onText`. */
  listen(onText: (text: string) => void, onClose: () => void): void;
  close(): void;
}

/** One message per line, as ACP over stdio has it. Closing ends `writable` only: the other side may still speak. */
export function lineTransport(readable: Readable, writable: Writable): MessageTransport {
  return {
    send: (text) => {
      writable.write(`${text}\n`);
    },
    listen: (onText, onClose) => {
      readable.on(
        'data',
        splitLines((line) => onText(line.toString('utf8'))),
      );
      readable.once('close', onClose);
      // Writing to a process that has died must not end the test run; its answers are missing anyway.
      writable.on('error', () => undefined);
    },
    close: () => writable.end(),
  };
}

/** One message per frame, text or binary. Messages sent before the socket is open wait for it. */
export function webSocketTransport(socket: WebSocket): MessageTransport {
  const early: string[] = [];
  socket.once('open', () => {
    for (const text of early.splice(0)) socket.send(text);
  });
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.CONNECTING) early.push(text);
      else socket.send(text);
    },
    listen: (onText, onClose) => {
      socket.on('message', (data) => onText(String(data)));
      socket.once('close', onClose);
      socket.on('error', () => undefined);
    },
    close: () => socket.close(),
  };
}
