import type { Readable, Writable } from 'node:stream';

export type Params = Readonly<Record<string, unknown>>;

/** What the other side answered instead of a result (JSON-RPC 2.0, 5.1), or what it is to be answered. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Gives the result; throws an `RpcFailure` for an error of its own choice. */
export type Handler = (params: Params) => unknown;

export interface JsonRpcPeer {
  /** Rejects with an `RpcFailure`, also when the other side has gone or the signal aborts. */
  request(method: string, params: Params, signal?: AbortSignal): Promise<Params>;
  notify(method: string, params: Params): void;
}

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
/** An answer that will never come. */
const GONE = -32000;

/** JSON-RPC over lines, both ways: the framing of ACP and of MCP over stdio. What is no message is passed over. */
export function openPeer(input: Readable, output: Writable, handlers: Readonly<Record<string, Handler>>): JsonRpcPeer {
  const waiting = new Map<number, { resolve(result: Params): void; reject(error: Error): void }>();
  let nextId = 1;
  let rest = '';
  const send = (message: object): void => void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  const serve = async (id: unknown, method: string, params: Params): Promise<void> => {
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    try {
      if (!handler) throw new RpcFailure(METHOD_NOT_FOUND, `there is no method ${method}`);
      const result = await handler(params);
      if (id !== undefined) send({ id, result: result ?? {} });
    } catch (error) {
      const { code, message } =
        error instanceof RpcFailure ? error : { code: INTERNAL_ERROR, message: 'Internal error' };
      if (id !== undefined) send({ id, error: { code, message } });
    }
  };
  const settle = (id: unknown, message: Params): void => {
    const pending = waiting.get(Number(id));
    waiting.delete(Number(id));
    const { error, result } = message as { error?: { code?: unknown; message?: unknown }; result?: unknown };
    if (error) pending?.reject(new RpcFailure(Number(error.code), String(error.message)));
    else pending?.resolve((result ?? {}) as Params);
  };
  const take = (line: string): void => {
    const message = parse(line);
    if (message === undefined) return;
    const { id, method, params } = message;
    if (typeof method === 'string') void serve(id, method, (params ?? {}) as Params);
    else if (id !== undefined) settle(id, message);
  };

  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  input.on('close', () => {
    for (const { reject } of waiting.values()) reject(new RpcFailure(GONE, 'the other side has gone'));
    waiting.clear();
  });
  output.on('error', () => {});

  return {
    notify: (method, params) => send({ method, params }),
    request(method, params, signal) {
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<Params>();
      const cancel = (): void => {
        waiting.delete(id);
        reject(new RpcFailure(GONE, 'it was cancelled'));
      };
      if (signal?.aborted) cancel();
      else {
        waiting.set(id, { resolve, reject });
        signal?.addEventListener('abort', cancel, { once: true });
        send({ id, method, params });
      }
      return promise.finally(() => signal?.removeEventListener('abort', cancel));
    },
  };
}

function parse(line: string): Params | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Params) : undefined;
  } catch {
    return undefined;
  }
}
