import { ReeveError } from '@reeve/protocol';
import type { Caller } from './client-request.ts';

/** Throws `observer_may_not` when this connection only watches the session; who is not attached to it is no observer. */
export function refuseObserver({ directory, port }: Caller, sessionId: unknown): void {
  const attached = directory.findAttached(sessionId, port.id)?.attachment(port.id);
  if (attached?.role === 'observer') throw new ReeveError('observer_may_not');
}
