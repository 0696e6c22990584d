import { ERRORS, errorNameOf, type RpcError } from '@reeve/protocol';

/** What an error was made of, on whichever wire it came. */
export interface CallErrorParts {
  /**
   * Stable name, for programs: one of the server's table of errors (`not_found`, `invalid_params`, …), or one of ours:
   * `unreachable`, `no_answer`, `connection_lost`, `connection_closed`, `not_reeve`, `http_<status>`, `rpc_<code>`, `failed`.
   */
  readonly code: string;
  readonly message: string;
  /** What to do about it, for people. */
  readonly next?: string | undefined;
  /** HTTP status, when it came over HTTP. */
  readonly status?: number | undefined;
  /** JSON-RPC error code, when it came over ACP. */
  readonly rpcCode?: number | undefined;
  /** `data` of the JSON-RPC error or of the problem document. */
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** Everything that this SDK rejects with, but for `AbortError`s of the caller's own signals. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: string;
  readonly next: string | undefined;
  readonly status: number | undefined;
  readonly rpcCode: number | undefined;
  readonly data: unknown;

  constructor(parts: CallErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = parts.code;
    this.next = parts.next;
    this.status = parts.status;
    this.rpcCode = parts.rpcCode;
    this.data = parts.data;
  }

  /** `error` itself where it is one of ours, else one that has it as its cause. */
  static of(error: unknown): CallError {
    if (error instanceof CallError) return error;
    const message = error instanceof Error ? error.message : String(error);
    return new CallError({ code: 'failed', message, cause: error });
  }
}

/** A JSON-RPC error as it came; what its own `data` says of name and next step is preferred to what its number means. */
export function errorOfRpc(error: RpcError): CallError {
  const data = member(error.data);
  const name = errorNameOf(error.code);
  return new CallError({
    code: text(data.name) ?? name ?? `rpc_${error.code}`,
    message: error.message,
    next: text(data.next) ?? text(data.mend) ?? (name && ERRORS[name].next),
    rpcCode: error.code,
    data: error.data,
  });
}

/** An HTTP answer outside 200 to 299; `body` is its text, which may be `application/problem+json` (RFC 9457) or anything. */
export function errorOfResponse(status: number, body: string): CallError {
  const problem = member(parse(body));
  const standard =
    status === 401 || status === 403 ? 'authentication_required' : status === 404 ? 'not_found' : `http_${status}`;
  const title = text(problem.title);
  const detail = text(problem.detail);
  return new CallError({
    code: text(problem.name) ?? text(problem.code) ?? standard,
    message: detail ?? title ?? `the server answered ${status}`,
    next: text(problem.next),
    status,
    data: problem.data,
  });
}

function member(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Trying again would not help. */
export function isRefusal({ status }: CallError): boolean {
  return status !== undefined && status < 500 && status !== 408 && status !== 429;
}
