import type { Readable, Writable } from 'node:stream';
import { silenceOf, watchSilence } from '@reeve/client';
import { encodeError, rpcError } from '@reeve/protocol';
import { WebSocket } from 'ws';
import { JsonLines } from './json-lines.ts';
import { PendingCalls } from './pending-calls.ts';

export interface BridgeOptions {
  readonly socket: WebSocket;
  readonly input: Readable;
  readonly output: Writable;
  readonly maxLineBytes: number;
  /** How long nothing may come from the server, ms, not even a pong: it counts as gone then. Like `silenceMs` of the SDK unless told. */
  readonly silenceMs?: number;
  /** Closes the bridge. */
  readonly signal: AbortSignal;
}

/** Why a bridge ended. */
export type BridgeEnd = 'input-ended' | 'aborted' | 'server-gone';

/** What may wait in the socket before the input is paused. */
const HIGH_WATER_BYTES = 4 * 1024 * 1024;
/** How long answers are awaited once the input has ended. */
const LAST_ANSWERS_MS = 2000;
/** A paused reader must still look alive to the server. */
const SIGN_OF_LIFE_MS = 5000;

/**
 * Relays messages between newline-delimited JSON and an open WebSocket, as the bytes they are. A slow side pauses the other.
 * When the server goes away, or nobody is at the other end of the line any more, as after the sleep of a machine, every request of the
 * client that is still open is answered with an error.
 */
export function runAcpBridge({
  socket,
  input,
  output,
  maxLineBytes,
  silenceMs = silenceOf(),
  signal,
}: BridgeOptions): Promise<BridgeEnd> {
  const { promise, resolve } = Promise.withResolvers<BridgeEnd>();
  const pending = new PendingCalls();
  const lines = new JsonLines(maxLineBytes);
  let end: BridgeEnd | undefined;

  const write = (line: string | Buffer): void => {
    if (output.destroyed) return;
    output.write(line);
    if (output.write('\n') || socket.isPaused) return;
    socket.pause();
    const alive = setInterval(() => socket.pong(), SIGN_OF_LIFE_MS);
    const go = (): void => {
      clearInterval(alive);
      output.off('drain', go).off('close', go);
      socket.resume();
    };
    output.on('drain', go).on('close', go);
  };
  const send = (line: Buffer | undefined): void => {
    if (!line) {
      write(encodeError(null, rpcError('message_too_large', { data: { maxBytes: maxLineBytes } })));
      return;
    }
    pending.fromClient(line);
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(line, { binary: false }, () => {
      if (input.isPaused() && socket.bufferedAmount < HIGH_WATER_BYTES) input.resume();
    });
    if (socket.bufferedAmount >= HIGH_WATER_BYTES) input.pause();
  };
  const leave = (why: BridgeEnd): void => {
    if (end) return;
    end = why;
    socket.resume();
    socket.close(1000);
    // A server that does not answer the close is left without it.
    setTimeout(() => socket.terminate(), LAST_ANSWERS_MS).unref();
  };

  // Frames of WebSocket and no messages: between client and server stands nothing but what they say themselves.
  const watch = watchSilence({
    silenceMs,
    // Nothing is read while the client does not read.
    ask: () => (socket.isPaused ? watch.heard() : socket.ping()),
    onSilent: () => socket.terminate(),
  });
  socket.on('ping', watch.heard).on('pong', watch.heard);

  socket.on('message', (data: Buffer) => {
    watch.heard();
    pending.fromServer(data);
    write(data.includes(0x0a) ? Buffer.from(data.toString('utf8').replaceAll(/[\r\n]/g, ' ')) : data);
    if (inputEnded && pending.size === 0) leave('input-ended');
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    watch[Symbol.dispose]();
    if (!end) for (const line of pending.failAll()) write(line);
    input.pause();
    resolve(end ?? 'server-gone');
  });

  let inputEnded = false;
  input.on('data', (chunk: Buffer) => {
    for (const line of lines.push(chunk)) send(line);
  });
  const onEnd = (): void => {
    if (inputEnded) return;
    inputEnded = true;
    for (const line of lines.end()) send(line);
    if (pending.size === 0) leave('input-ended');
    else setTimeout(() => leave('input-ended'), LAST_ANSWERS_MS).unref();
  };
  input.on('end', onEnd);
  input.on('error', onEnd);
  // Nobody reads any more.
  output.on('error', () => leave('input-ended'));
  signal.addEventListener('abort', () => leave('aborted'), { once: true });
  if (signal.aborted) leave('aborted');
  return promise;
}
