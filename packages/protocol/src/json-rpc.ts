/** JSON-RPC 2.0 as ACP uses it: no batches; ids are echoed as they came (string, integer, null). */
export type JsonRpcId = string | number | null;

export type JsonObject = { readonly [member: string]: unknown };

/** `data` of an error: any JSON value. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type RpcMessage =
  | { readonly kind: 'request'; readonly id: JsonRpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly id: JsonRpcId; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: JsonRpcId; readonly error: RpcError };

export type ParseResult =
  | RpcMessage
  /** Not JSON at all (-32700). */
  | { readonly kind: 'not-json' }
  /** JSON, but no JSON-RPC 2.0 message (-32600); `id` where one could be read. */
  | { readonly kind: 'invalid'; readonly id: JsonRpcId; readonly why: string };

/** Reads one message. Never throws; keeps nothing but what routing needs, the caller keeps the bytes. */
export function parseMessage(text: string): ParseResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'not-json' };
  }
  return classifyMessage(value);
}

export function classifyMessage(value: unknown): ParseResult {
  if (Array.isArray(value))
    return { kind: 'invalid', id: null, why: 'batches are not part of ACP: send one message at a time' };
  if (!isObject(value)) return { kind: 'invalid', id: null, why: 'a message is a JSON object' };
  const hasId = 'id' in value;
  const id = value.id;
  const validId = typeof id === 'string' || Number.isInteger(id) || id === null;
  const echo: JsonRpcId = hasId && validId ? (id as JsonRpcId) : null;
  if (value.jsonrpc !== '2.0') return { kind: 'invalid', id: echo, why: '"jsonrpc" must be "2.0"' };
  if (hasId && !validId) return { kind: 'invalid', id: null, why: '"id" must be a string, an integer or null' };
  if ('method' in value) {
    if (typeof value.method !== 'string') return { kind: 'invalid', id: echo, why: '"method" must be a string' };
    if (hasId) return { kind: 'request', id: echo, method: value.method, params: value.params };
    return { kind: 'notification', method: value.method, params: value.params };
  }
  if (!hasId) return { kind: 'invalid', id: null, why: 'neither "method" nor "id"' };
  if ('error' in value) {
    const error = value.error;
    if ('result' in value) return { kind: 'invalid', id: echo, why: 'both "result" and "error"' };
    if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== 'string') {
      return { kind: 'invalid', id: echo, why: '"error" needs an integer code and a message' };
    }
    return { kind: 'error', id: echo, error: error as unknown as RpcError };
  }
  if ('result' in value) return { kind: 'result', id: echo, result: value.result };
  return { kind: 'invalid', id: echo, why: 'a response needs "result" or "error"' };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Two ids are the same only with the same type: 1 is not "1". */
export function idKey(id: JsonRpcId): string {
  return JSON.stringify(id);
}

export function encodeRequest(id: JsonRpcId, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function encodeNotification(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function encodeResult(id: JsonRpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function encodeError(id: JsonRpcId, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}
