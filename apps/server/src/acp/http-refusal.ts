import { ERRORS, type ErrorName } from '@reeve/protocol';
import type { HttpResponse } from './sse-stream.ts';

/** Why an HTTP request is not served; `status` and `next` are the table's where they are left out. */
export interface HttpRefusal {
  readonly name: ErrorName;
  readonly status?: number;
  readonly detail: string;
  readonly next?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers with an RFC 9457 problem. Does nothing once the peer is gone. */
export function refuseRequest(response: HttpResponse, refusal: HttpRefusal): void {
  if (response.headersSent || response.writableEnded) return;
  const row = ERRORS[refusal.name];
  const status = refusal.status ?? row.httpStatus;
  const { name, detail } = refusal;
  const problem = {
    type: 'about:blank',
    title: row.message,
    status,
    detail,
    name,
    code: row.code,
    next: refusal.next ?? row.next,
  };
  const body = Buffer.from(JSON.stringify(problem));
  const headers: Record<string, string> = { ...refusal.headers };
  // HTTP/2 has no such header (RFC 9113, section 8.2.2).
  if ('stream' in response) delete headers.connection;
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': body.byteLength,
  });
  response.end(body);
}
