import type { Call } from '../api-route.ts';

/** What `{id}` is in the path of a route about one session. */
export const SESSION_ID = 'Id or alias of a session';

/** What the caller has put there. */
export function sessionOf(call: Call): string {
  return call.req.param('id') ?? '';
}
