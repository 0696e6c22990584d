import { ERRORS, type ErrorName, isReeveError, type JsonObject } from '@reeve/protocol';

/** An RFC 9457 problem. `name` and `code` are those of the table of errors; `next` says what to do. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly name: ErrorName;
  readonly code: number;
  readonly next: string;
  readonly data?: JsonObject;
}

/** Where the table speaks of ACP. */
const NEXT: { readonly [Name in ErrorName]?: string } = {
  parse_error: 'Send JSON text in UTF-8.',
  not_found: 'Check the id; GET /v1/sessions shows the sessions that exist.',
};

export interface ProblemOptions {
  readonly detail: string;
  /** The table's, where left out. */
  readonly status?: number;
  readonly next?: string | undefined;
  readonly data?: JsonObject | undefined;
}

export const PROBLEM_TYPE = 'application/problem+json';

export function problem(name: ErrorName, { detail, status, next, data }: ProblemOptions): Problem {
  const row = ERRORS[name];
  return {
    type: 'about:blank',
    // Of JSON-RPC the table speaks, and there was none.
    title: name === 'invalid_request' ? 'The request cannot be served as it is' : row.message,
    status: status ?? row.httpStatus,
    detail,
    name,
    code: row.code,
    next: next ?? NEXT[name] ?? row.next,
    ...(data === undefined ? {} : { data }),
  };
}

/** What a caller is told of something thrown: an error of ours as it is, of any other only the `logId` to look it up by. */
export function problemOf(error: unknown, logId: string): Problem {
  if (isReeveError(error)) {
    return problem(error.name, { detail: error.message, next: error.next, data: error.data });
  }
  return problem('internal_error', { detail: 'the server failed at it', data: { logId } });
}

export function problemResponse(body: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { ...headers, 'content-type': PROBLEM_TYPE },
  });
}
