import type { Call } from './api-route.ts';
import type { Read } from './control-input.ts';
import { problem, problemResponse } from './problem.ts';

/* What callers of the control API are told when nothing was done: RFC 9457 problems that say the next step. */

export function badInput(
  { path, expected, next = `Send ${expected}.` }: Read<never> & { kind: 'bad' },
  where: 'query' | 'body' | 'header',
): Response {
  const place = path === '' ? `the ${where}` : `"${path}" of the ${where}`;
  const data = { [where]: path, expected };
  return problemResponse(problem('invalid_params', { detail: `${place}: expected ${expected}`, next, data }));
}

export function notFound(detail: string, next: string): Response {
  return problemResponse(problem('not_found', { detail, next }));
}

/** Nobody said who they are, at what is open to nobody. */
export function strangerRefused(): Response {
  const next = 'Send "Authorization: Bearer TOKEN"; the token is in the file "token" of the data directory.';
  return problemResponse(problem('authentication_required', { detail: 'no token was sent', status: 401, next }), {
    'www-authenticate': 'Bearer realm="reeve"',
  });
}

export function noAgent(name: string): Response {
  return notFound(`there is no agent "${name.slice(0, 200)}"`, 'GET /v1/agents lists those that are configured.');
}

export function noSession(call: Call): Response {
  const id = (call.req.param('id') ?? '').slice(0, 200);
  return notFound(`there is no session "${id}"`, 'GET /v1/sessions lists those that exist.');
}

export function noRequest(call: Call): Response {
  const id = (call.req.param('id') ?? '').slice(0, 200);
  return notFound(`there is no request "${id}"`, 'GET /v1/requests lists those that wait for an answer.');
}

export function wrongMethod(call: Call, allow: string): Response {
  const detail = `${call.req.method} is not served at this path`;
  return problemResponse(problem('invalid_request', { detail, status: 405, next: `Use ${allow}.` }), { allow });
}

export function wrongType(): Response {
  const next = 'Send JSON with "Content-Type: application/json".';
  return problemResponse(
    problem('invalid_request', { detail: 'the body is not announced as JSON', status: 415, next }),
  );
}

export function badRequestBody(kind: 'too-large' | 'not-utf8' | 'gone', maxBytes: number): Response {
  switch (kind) {
    case 'gone':
      return problemResponse(problem('request_cancelled', { detail: 'the caller went away' }));
    case 'not-utf8':
      return problemResponse(problem('parse_error', { detail: 'the body is not UTF-8' }));
    case 'too-large': {
      const detail = `the body is longer than ${maxBytes} bytes`;
      return problemResponse(problem('message_too_large', { detail, data: { maxBytes } }));
    }
  }
}
