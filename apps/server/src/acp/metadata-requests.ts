import { encodeResult, type JsonObject, META_KEY, ReeveError } from '@reeve/protocol';
import { setSessionMetadata } from '../sessions/set-session-metadata.ts';
import type { Caller, ClientRequest } from './session-requests.ts';

/** `_sandboxagent/session/set_metadata` {sessionId, metadata} → {metadata}: by a controller, or by who is not attached. */
export async function setMetadata(
  { port, directory, send }: Caller,
  { id, params, raw }: ClientRequest,
): Promise<void> {
  const attached = directory.findAttached(params.sessionId, port.id)?.attachment(port.id);
  if (attached?.role === 'observer') throw new ReeveError('observer_may_not');
  const { session, metadata, applied } = await setSessionMetadata(directory, params.sessionId, params.metadata, {
    profile: port.profile,
    log: (opened) => opened.logCommand(port, raw),
  });
  const result: JsonObject = { metadata, ...(applied ? { _meta: { [META_KEY]: { applied } } } : {}) };
  const answer = Buffer.from(encodeResult(id, result));
  const place = session.attachment(port.id);
  if (place) place.sendAfter(session.lastSeq, answer);
  else send(answer);
}
