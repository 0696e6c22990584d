import type { JsonObject, RpcError } from './json-rpc.ts';

/** One row of the table: what an error is on each wire, and what whoever gets it can do. */
export interface ErrorRow {
  /** JSON-RPC error code. */
  readonly code: number;
  /** Status of the same error on the HTTP API. */
  readonly httpStatus: number;
  /** What happened, where the one who raises it says nothing better. */
  readonly message: string;
  /** What to do next. */
  readonly next: string;
}

/**
 * Every error that Reeve itself answers with. The first group is JSON-RPC's and ACP's own; ours are numbered from
 * 47001, outside what JSON-RPC (-32768..-32000) and ACP (-32899..-32800) keep for themselves. A number is never reused.
 */
export const ERRORS = {
  parse_error: {
    code: -32700,
    httpStatus: 400,
    message: 'The message is not JSON',
    next: 'Send one JSON-RPC 2.0 message as UTF-8 JSON text.',
  },
  invalid_request: {
    code: -32600,
    httpStatus: 400,
    message: 'The message is no JSON-RPC 2.0 message',
    next: 'Send "jsonrpc": "2.0" with a "method", or an "id" with a "result" or an "error"; no batches.',
  },
  /** data: `{method}`. */
  method_not_found: {
    code: -32601,
    httpStatus: 404,
    message: 'Method not found',
    next: 'Call only what the capabilities in the result of initialize announce.',
  },
  /** data: what is wrong with which parameter; see `setupErrorData`. */
  invalid_params: {
    code: -32602,
    httpStatus: 400,
    message: 'Invalid params',
    next: 'Mend the parameters that "data" names, and send the request again.',
  },
  /** data: `{details, logId}`; the server's log has the whole under `logId`. */
  internal_error: {
    code: -32603,
    httpStatus: 500,
    message: 'Internal error',
    next: 'Try again; if it stays, look up the logId of "data" in the server log.',
  },
  request_cancelled: {
    code: -32800,
    httpStatus: 499,
    message: 'The request was cancelled',
    next: 'Nothing: somebody asked for it. Send the request again if it is wanted after all.',
  },
  authentication_required: {
    code: -32000,
    httpStatus: 401,
    message: 'Authentication required',
    next: 'Authenticate with one of the authMethods in the result of initialize, then try again.',
  },
  /** data: `{sessionId}`, `{requestId}` or `{uri}`. */
  not_found: {
    code: -32002,
    httpStatus: 404,
    message: 'Not found',
    next: 'Check the id; session/list shows the sessions that exist.',
  },
  /** ACP v2. data: `{requested, supported}`. */
  unsupported_protocol_version: {
    code: -32022,
    httpStatus: 501,
    message: 'Unsupported protocol version',
    next: 'Send initialize again, on the same connection, in a version that "supported" names.',
  },

  agent_start_failed: {
    code: 47001,
    httpStatus: 502,
    message: 'The agent could not be started',
    next: 'Check that the agent is installed and its command runs by itself; "data" has the last lines of its stderr.',
  },
  /** data: `{exitCode, signal, stderr}`. */
  agent_crashed: {
    code: 47002,
    httpStatus: 502,
    message: 'The agent process ended in the middle of its work',
    next: 'Send the prompt again: the session is restored with a new process. "data" says how the old one ended.',
  },
  agent_timeout: {
    code: 47003,
    httpStatus: 504,
    message: 'The agent did not answer in time',
    next: 'Try again, or end the session with _sandboxagent/session/terminate.',
  },
  session_closed: {
    code: 47004,
    httpStatus: 410,
    message: 'The session is closed',
    next: 'Load the session again with session/load, or create a new one.',
  },
  observer_may_not: {
    code: 47005,
    httpStatus: 403,
    message: 'An observer only watches',
    next: 'Attach again with the role "controller" to prompt, answer or change the session.',
  },
  turn_in_progress: {
    code: 47006,
    httpStatus: 409,
    message: 'A turn is running, and the prompt asked not to wait',
    next: 'Wait for the end of the turn, cancel it, or let the prompt queue.',
  },
  queue_full: {
    code: 47007,
    httpStatus: 429,
    message: 'Too many prompts wait in this session',
    next: 'Wait until a turn has ended, then send the prompt again.',
  },
  /** data: `{offered}`, the option ids that may be chosen. */
  not_offered: {
    code: 47008,
    httpStatus: 422,
    message: 'The answer was not among those offered',
    next: 'Choose one of the offered options in "data", or cancel.',
  },
  /** data: `{by, outcome}` where known. */
  already_resolved: {
    code: 47009,
    httpStatus: 409,
    message: 'The request has been answered already',
    next: 'Nothing: the first valid answer counts. "data" says which it was.',
  },
  overloaded: {
    code: 47010,
    httpStatus: 503,
    message: 'The server has as much to do as it can take',
    next: 'Try again later, or close sessions that are not needed.',
  },
  outcome_unknown: {
    code: 47011,
    httpStatus: 409,
    message: 'A restart interrupted the prompt with this idempotency key; how far it came is not known',
    next: 'Read the session to see what was done; to run the prompt again, send it with a new idempotency key.',
  },
  /** data: `{capability}`. */
  capability_missing: {
    code: 47012,
    httpStatus: 501,
    message: 'The other side did not announce the capability that this needs',
    next: 'Use an agent or a client with the capability that "data" names, or do without it.',
  },
  shutting_down: {
    code: 47013,
    httpStatus: 503,
    message: 'The server is shutting down',
    next: 'Connect again when it is back; sessions and cursors outlive the restart.',
  },
  unsupported: {
    code: 47014,
    httpStatus: 501,
    message: 'This server does not support that',
    next: 'See "data" and the documentation for what it does instead.',
  },
  /** data: `{details}`. The idempotency key, the alias or the revision belongs to something else. */
  conflict: {
    code: 47015,
    httpStatus: 409,
    message: 'It conflicts with what is there already',
    next: 'Choose another key or name, or read the present state and try again.',
  },
  forbidden: {
    code: 47016,
    httpStatus: 403,
    message: 'A policy or the boundary of the session forbids it',
    next: 'Ask whoever set the policy, or stay inside the boundary that "data" names.',
  },
  /** data: `{maxBytes}`. */
  message_too_large: {
    code: 47017,
    httpStatus: 413,
    message: 'The message is larger than this server takes',
    next: 'Send less at once; "data" has the limit.',
  },
  /** data: `{package, version}` where known. */
  install_failed: {
    code: 47018,
    httpStatus: 502,
    message: 'The package could not be installed',
    next: 'Check that the npm registry can be reached, then try again; the message has what npm said last.',
  },
  /** data: `{code}` and what the agent gave. Only over HTTP: an ACP client gets the agent's own error. */
  agent_refused: {
    code: 47019,
    httpStatus: 502,
    message: 'The agent itself refused the request',
    next: 'What the agent says of it is in the message and in "data".',
  },
} as const satisfies { readonly [name: string]: ErrorRow };

export type ErrorName = keyof typeof ERRORS;

export interface ErrorOptions {
  /** Replaces the message of the table. */
  readonly message?: string | undefined;
  /** Replaces the next step of the table, where whoever raises it knows a better one. Standard errors have no place for it in JSON-RPC. */
  readonly next?: string | undefined;
  /** What the table promises for this error, and whatever else helps. No secrets: it goes to clients and logs. */
  readonly data?: JsonObject | undefined;
  readonly cause?: unknown;
}

/** An error to be answered with. Everything else that is thrown is an `internal_error`. */
export class ReeveError extends Error {
  override readonly name: ErrorName;
  readonly code: number;
  /** Undefined: that of the table. */
  readonly next: string | undefined;
  readonly data: JsonObject | undefined;

  constructor(name: ErrorName, options: ErrorOptions = {}) {
    super(options.message ?? ERRORS[name].message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = name;
    this.code = ERRORS[name].code;
    this.next = options.next;
    this.data = options.data;
  }

  get httpStatus(): number {
    return ERRORS[this.name].httpStatus;
  }

  toRpc(): RpcError {
    return rpcError(this.name, { message: this.message, next: this.next, data: this.data });
  }
}

export function isReeveError(value: unknown): value is ReeveError {
  return value instanceof ReeveError;
}

/**
 * The JSON-RPC error of a name. A client cannot know our numbers by heart, so the `data` of ours also says the `name`
 * and what to do `next`; that of the standard ones is what was given.
 */
export function rpcError(name: ErrorName, options: Omit<ErrorOptions, 'cause'> = {}): RpcError {
  const { code, message, next } = ERRORS[name];
  const data = code > 0 ? { name, next: options.next ?? next, ...options.data } : options.data;
  return { code, message: options.message ?? message, ...(data === undefined ? {} : { data }) };
}

/** The name of a code in the table; undefined for a code of somebody else. */
export function errorNameOf(code: number): ErrorName | undefined {
  return NAMES.get(code);
}

const NAMES: ReadonlyMap<number, ErrorName> = new Map(
  Object.entries(ERRORS).map(([name, row]) => [row.code, name as ErrorName]),
);
