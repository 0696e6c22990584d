import { EXTENSION, encodeResult, type JsonObject, META_KEY, ourMeta, ReeveError } from '@reeve/protocol';
import { versionOf } from '../agents/acp-version.ts';
import { readRole } from '../sessions/attach-options.ts';
import { checkInlineContent } from '../sessions/inline-content.ts';
import { attachToSession } from '../sessions/session-attach.ts';
import { createSession } from '../sessions/session-create.ts';
import { requireSetup } from '../sessions/setup-check.ts';
import { agentOfRequest } from './agent-of-request.ts';
import { setBoundary } from './boundary-requests.ts';
import type { Caller, ClientRequest } from './client-request.ts';
import { detachFromSession, fork, list, remove, terminateSession } from './lifecycle-requests.ts';
import { setMetadata } from './metadata-requests.ts';
import { pollEvents } from './poll-events.ts';
import { readPromptOptions } from './prompt-options.ts';
import { refuseObserver } from './refuse-observer.ts';
import { replaysFromStart, withEmptyLists } from './setup-v2.ts';

/** Answers the request, or throws what the client is told. */
type Handler = (caller: Caller, request: ClientRequest) => Promise<void> | void;

/** The requests that Reeve answers or takes part in; what is not here goes to the agent as it came, unless it is one of ours. */
export const SESSION_REQUESTS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['session/new', create],
  ['session/load', attach],
  ['session/resume', attach],
  ['session/prompt', prompt],
  ['session/list', list],
  [EXTENSION.list, list],
  ['session/fork', fork],
  [EXTENSION.fork, fork],
  ['session/close', close],
  ['session/delete', remove],
  [EXTENSION.events, events],
  [EXTENSION.setMetadata, setMetadata],
  [EXTENSION.setBoundary, setBoundary],
  [EXTENSION.detach, detachFromSession],
  [EXTENSION.terminate, terminateSession],
  [EXTENSION.ping, ({ send }, { id }) => send(encodeResult(id, {}))],
]);

async function create(caller: Caller, { id, method, params, raw }: ClientRequest): Promise<void> {
  const { port, directory, bound } = caller;
  const checked = versionOf(port.profile) === 2 ? withEmptyLists(params) : params;
  const { entry, capabilities } = await agentOfRequest(caller, readAgent(params));
  const setup = await requireSetup(method as 'session/new', checked, capabilities);
  const respond = (message: Buffer): void => caller.send(message);
  const authenticated = entry === bound.entry ? caller.authenticated : undefined;
  await createSession(directory, { port, entry, id, setup, raw, authenticated, respond });
}

async function attach(caller: Caller, request: ClientRequest): Promise<void> {
  const { port, directory, bound } = caller;
  if (versionOf(port.profile) === 2) return resumeV2(caller, request);
  const { id, method, params, raw } = request;
  const how = method as 'session/load' | 'session/resume';
  const { capabilities } = await agentOfRequest(caller, await agentOfSession(caller, params));
  const setup = await requireSetup(how, params, capabilities);
  await attachToSession(directory, { port, entry: bound.entry, method: how, id, setup, raw });
}

/** v2 has one method for both (ACP v2, `ResumeSessionRequest.replayFrom`). What only the agent knows is not taken over. */
async function resumeV2(caller: Caller, request: ClientRequest): Promise<void> {
  const { port, directory } = caller;
  const { id, params, raw } = request;
  if (request.method !== 'session/resume')
    throw new ReeveError('method_not_found', { data: { method: request.method } });
  const method = replaysFromStart(params) ? 'session/load' : 'session/resume';
  const { capabilities } = await agentOfRequest(caller, await agentOfSession(caller, params));
  const setup = await requireSetup('session/resume', withEmptyLists(params), capabilities);
  await attachToSession(directory, { port, method, id, setup, raw });
}

/** `_meta["sandboxagent.dev"].agent` of `session/new`; throws `invalid_params`. */
function readAgent(params: JsonObject): string | undefined {
  const { agent } = ourMeta(params);
  if (agent === undefined || typeof agent === 'string') return agent;
  throw new ReeveError('invalid_params', { message: `_meta["${META_KEY}"].agent: the name of an agent, or nothing` });
}

/** The agent that a controller will find in a session; an observer needs none, and sessions of another version are refused later. */
async function agentOfSession({ directory, port }: Caller, params: JsonObject): Promise<string | undefined> {
  const { sessionId } = params;
  if (typeof sessionId !== 'string' || readRole(ourMeta(params)) === 'observer') return undefined;
  const record = await directory.find(sessionId);
  return (record?.protocolVersion ?? 1) === versionOf(port.profile) ? record?.agent : undefined;
}

async function prompt(caller: Caller, { id, params, raw }: ClientRequest): Promise<void> {
  if (!Array.isArray(params.prompt))
    throw new ReeveError('invalid_params', { message: 'prompt: required array of content blocks' });
  const session = caller.controlled(params.sessionId);
  checkInlineContent(params.prompt, caller.directory.services.limits.maxAttachmentBytes);
  await session.prompt({ port: caller.port, id, params, raw }, readPromptOptions(params));
}

async function close(caller: Caller, { id, params }: ClientRequest): Promise<void> {
  refuseObserver(caller, params.sessionId);
  await caller.directory.close(params.sessionId, caller.port.label);
  caller.send(encodeResult(id, {}));
}

async function events(caller: Caller, { id, params }: ClientRequest): Promise<void> {
  const page = await pollEvents(caller.directory, params);
  caller.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${page}}`);
}
