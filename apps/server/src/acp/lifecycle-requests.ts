import { encodeResult } from '@reeve/protocol';
import type { Caller, ClientRequest } from './session-requests.ts';

/** `_sandboxagent/session/terminate` {sessionId} → {}: the turn and the process end now. Who is attached gets `ended`. */
export async function terminateSession(
  { directory, port, send }: Caller,
  { id, params }: ClientRequest,
): Promise<void> {
  await directory.terminate(params.sessionId, port.label);
  send(encodeResult(id, {}));
}

/** `_sandboxagent/session/detach` {sessionId} → {}: this connection leaves, the session goes on. Leaving twice is no error. */
export async function detachFromSession(
  { directory, port, send }: Caller,
  { id, params }: ClientRequest,
): Promise<void> {
  const session = directory.findAttached(params.sessionId, port.id);
  if (session) session.detach(port.id);
  else await directory.record(params.sessionId);
  send(encodeResult(id, {}));
}
