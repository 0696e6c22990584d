import { isObject, type JsonRpcId, parseMessage, type RpcMessage } from '@reeve/protocol';

/** What became of a message that could not be delivered by HTTP. */
export interface HttpFailure {
  /** Without URL, header or body: each may hold a secret. */
  readonly reason: string;
  readonly status: number | undefined;
  /** The server does not know us any more, or is not there: nothing that is sent would arrive. */
  readonly lost: boolean;
  /** A JSON-RPC error that came as the body (MCP 2026-07-28, streamable HTTP). */
  readonly answer: RpcMessage | undefined;
}

/** @param hasSession whether the server gave us an `Mcp-Session-Id`: without one 404 means something else */
export function readHttpFailure(error: unknown, id: JsonRpcId | undefined, hasSession: boolean): HttpFailure {
  const { status, text } = dataOf(error);
  const parsed = typeof text === 'string' ? parseMessage(text) : undefined;
  const answer = parsed?.kind === 'error' && id !== undefined ? { ...parsed, id } : undefined;
  if (status !== undefined) {
    return { reason: reasonOf(status), status, lost: status === 404 && hasSession, answer };
  }
  const code = networkCode(error);
  if (code !== undefined) return { reason: `the server cannot be reached (${code})`, status, lost: true, answer };
  if (error instanceof Error && error.name === 'UnauthorizedError') {
    return { reason: reasonOf(401), status: 401, lost: false, answer };
  }
  const message =
    error instanceof Error && error.message.includes('limits.mcpMessageBytes') ? error.message : undefined;
  return { reason: message ?? 'the server answered with what is no MCP', status, lost: false, answer };
}

function reasonOf(status: number): string {
  if (status === 401) return 'the server asks for authorization (HTTP 401): give it the headers that it needs';
  if (status === 403) return 'the server forbids it (HTTP 403)';
  return `the server answered with HTTP ${status}`;
}

function dataOf(error: unknown): { readonly status: number | undefined; readonly text: unknown } {
  const data = error instanceof Error && 'data' in error && isObject(error.data) ? error.data : {};
  const { status, text } = data;
  if (typeof status === 'number') return { status, text };
  // The SSE transport says it in a member of its own.
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { status: typeof code === 'number' && code >= 100 && code < 600 ? code : undefined, text };
}

/** `ECONNREFUSED` and the like, which `fetch` hides in the cause of a TypeError. */
function networkCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(at.code) && /^(E|UND_)/.test(at.code)) {
      return at.code;
    }
  }
  // The SSE transport tells the event without which there was no stream.
  const isStreamError = error instanceof Error && 'event' in error;
  return error instanceof TypeError || isStreamError ? 'no connection' : undefined;
}
