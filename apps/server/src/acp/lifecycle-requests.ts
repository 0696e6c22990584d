import { encodeResult, ReeveError } from '@reeve/protocol';
import { versionOf } from '../agents/acp-version.ts';
import { forgetAtAgent } from '../sessions/agent-delete.ts';
import { requireVersion } from '../sessions/session-attach.ts';
import { forkSession } from '../sessions/session-fork.ts';
import { requireSetup } from '../sessions/setup-check.ts';
import { agentOfRequest } from './agent-of-request.ts';
import type { Caller, ClientRequest } from './client-request.ts';
import { listSessions } from './list-sessions.ts';
import { refuseObserver } from './refuse-observer.ts';

/** `_sandboxagent/session/terminate` {sessionId} → {}: the turn and the process end now. Who is attached gets `ended`. */
export async function terminateSession(caller: Caller, { id, params }: ClientRequest): Promise<void> {
  const { directory, port, send } = caller;
  refuseObserver(caller, params.sessionId);
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

/** `session/list` and `_sandboxagent/session/list`; see `listSessions`. */
export async function list({ directory, port, bound, send }: Caller, { id, params }: ClientRequest): Promise<void> {
  const asked = { entry: bound.entry, profile: port.profile };
  send(encodeResult(id, await listSessions(directory, asked, params)));
}

/** `session/fork` and `_sandboxagent/session/fork`, of v1 alone; see `forkSession`. */
export async function fork(caller: Caller, { id, method, params, raw }: ClientRequest): Promise<void> {
  const { directory, port, send } = caller;
  if (versionOf(port.profile) === 2) throw new ReeveError('method_not_found', { data: { method } });
  const parent = await directory.record(params.sessionId);
  requireVersion(parent, 1);
  const { capabilities } = await agentOfRequest(caller, parent.agent);
  const setup = await requireSetup('session/fork', params, capabilities);
  await forkSession(directory, { port, id, setup, raw, respond: send });
}

/** `session/delete`: what this server keeps, and what the agent keeps where it can delete. An unknown session is no error (ACP). */
export async function remove(caller: Caller, { id, params }: ClientRequest): Promise<void> {
  const { directory, port, bound, send } = caller;
  const { sessionId } = params;
  refuseObserver(caller, sessionId);
  if (typeof sessionId === 'string' && !(await directory.find(sessionId))) {
    await forgetAtAgent(directory.services, bound.entry.name, sessionId, port.profile);
    directory.forgotten.add(bound.entry.name, sessionId);
  } else await directory.remove(sessionId, port.label, port.profile);
  send(encodeResult(id, {}));
}
