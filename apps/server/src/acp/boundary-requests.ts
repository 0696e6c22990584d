import { encodeResult, META_KEY, ReeveError } from '@reeve/protocol';
import { setSessionBoundary } from '../sessions/set-session-boundary.ts';
import type { Caller, ClientRequest } from './client-request.ts';
import { refuseObserver } from './refuse-observer.ts';

/**
 * `_sandboxagent/session/set_boundary` {sessionId, boundary} → {boundary}: by a controller, or by who is not attached. Answered when it is
 * carried out; everybody attached gets `boundary_update` before that.
 */
export async function setBoundary(caller: Caller, { id, params, raw }: ClientRequest): Promise<void> {
  const { port, directory, send } = caller;
  refuseObserver(caller, params.sessionId);
  const { boundary: wished } = params;
  if (wished === undefined) {
    throw new ReeveError('invalid_params', { message: 'boundary: required object: send {"roots": [...]}' });
  }
  const { session, boundary, servers } = await setSessionBoundary(directory, params.sessionId, wished, {
    by: { label: port.label, administrator: false },
    profile: port.profile,
    log: (opened) => opened.logCommand(port, raw),
  });
  const answer = Buffer.from(encodeResult(id, { boundary, _meta: { [META_KEY]: { servers } } }));
  const place = session.attachment(port.id);
  if (place) place.sendAfter(session.lastSeq, answer);
  else send(answer);
}
