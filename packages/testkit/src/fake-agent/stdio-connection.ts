import type { Readable, Writable } from 'node:stream';
import { splitLines } from '../split-lines.ts';
import type { RpcError, RpcId } from './rpc-error.ts';

export type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: RpcError };

export interface Incoming {
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: unknown;
}

/** The agent's end of JSON-RPC over stdio. What it sends leaves in the order of the calls. */
export interface StdioConnection {
  /** Resolves with the other side's answer. An abort of `signal` sends `$/cancel_request` and goes on waiting. */
  request(method: string, params: unknown, signal?: AbortSignal): Promise<Answer>;
  send(message: object): Promise<void>;
  /** Bytes as they are; resolves when the stream takes more, with `chunk` free for reuse. */
  write(chunk: string | Buffer): Promise<void>;
}

export interface StdioConnectionOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly requestIds: 'integer' | 'string';
  /** Called for each request (with id) and notification (without), in the order in which they came. */
  readonly onMessage: (incoming: Incoming) => void;
}

export function openStdioConnection(options: StdioConnectionOptions): StdioConnection {
  const { input, output, requestIds, onMessage } = options;
  const waiting = new Map<RpcId, (answer: Answer) => void>();
  let nextId = 0;

  const write = (chunk: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      output.write(chunk, () => resolve());
    });
  const send = (message: object): Promise<void> => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  const request = async (method: string, params: unknown, signal?: AbortSignal): Promise<Answer> => {
    const id = requestIds === 'string' ? `fake-${nextId++}` : nextId++;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(id, resolve);
    const cancel = (): void => {
      void send({ method: '$/cancel_request', params: { requestId: id } });
    };
    await send({ id, method, params });
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  };

  const receive = (line: Buffer): void => {
    if (line.length === 0) return;
    const message = parse(line);
    if (message === undefined) {
      void send({ id: null, error: { code: -32700, message: 'Parse error' } });
      return;
    }
    const id = message.id as RpcId | undefined;
    if (typeof message.method === 'string') {
      onMessage({ id, method: message.method, params: message.params });
    } else if (id !== undefined) {
      const settle = waiting.get(id);
      waiting.delete(id);
      settle?.(
        message.error === undefined
          ? { kind: 'result', result: message.result }
          : { kind: 'error', error: message.error as RpcError },
      );
    }
  };

  input.on('data', splitLines(receive));
  return { request, send, write };
}

function parse(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
