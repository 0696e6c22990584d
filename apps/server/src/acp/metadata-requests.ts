import { encodeResult, type JsonObject, META_KEY } from '@reeve/protocol';
import { setSessionMetadata } from '../sessions/set-session-metadata.ts';
import type { Caller, ClientRequest } from './client-request.ts';
import { refuseObserver } from './refuse-observer.ts';

/** `_sandboxagent/session/set_metadata` {sessionId, metadata} → {metadata}: by a controller, or by who is not attached. */
export async function setMetadata(caller: Caller, { id, params, raw }: ClientRequest): Promise<void> {
  const { port, directory, send } = caller;
  refuseObserver(caller, params.sessionId);
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
