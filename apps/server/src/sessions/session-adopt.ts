import { type JsonObject, ReeveError, type SessionId, type SessionSetup, setMember } from '@reeve/protocol';
import type { AgentReply } from '../agents/agent-connection.ts';
import { crashError, type LaunchedAgent, stopAgent } from '../agents/agent-launch.ts';
import type { AdoptedBy } from './adoptions.ts';
import { type AskedAgent, announced, findAtAgent } from './agent-sessions.ts';
import { setupFromResult } from './follow-setup.ts';
import { launchInPlace } from './launch-in-place.ts';
import { newRecord } from './new-record.ts';
import { requirePlace } from './require-place.ts';
import type { Session } from './session.ts';
import type { SessionDirectory } from './session-directory.ts';
import { openGovernance } from './session-governance.ts';
import { inPlace, type SessionPlace } from './session-place.ts';
import type { SessionRecord } from './session-store.ts';

export interface AdoptRequest {
  readonly asked: AskedAgent;
  /** Who wants it, as people know them. */
  readonly by: string;
  readonly method: 'session/load' | 'session/resume';
  readonly setup: SessionSetup;
  /** The whole request as it came. */
  readonly raw: Buffer;
}

/**
 * Takes over a session that only the agent knows: a process of its own opens it, what that replays becomes the beginning of our log,
 * and from then on it is a session like any other. The way is what the client asked for, if the agent has it, else the other one.
 * Throws `not_found` when the agent does not know it either; then nothing is kept, and nothing is deleted at the agent.
 */
export async function adoptSession(directory: SessionDirectory, request: AdoptRequest): Promise<AdoptedBy> {
  const { services } = directory;
  const { asked, setup } = request;
  const { entry, profile } = asked;
  const sessionId = setup.sessionId as SessionId;
  const can = announced(await services.agents.initialize(entry, profile));
  const by = request.method === 'session/load' ? (can.load ? 'load' : 'resume') : can.resume ? 'resume' : 'load';
  if (!can[by] || directory.forgotten.has(entry.name, sessionId)) throw unknown(sessionId);
  const found = await findAtAgent(services, asked, sessionId);
  if (found.kind === 'unlisted') throw unknown(sessionId);

  using _room = directory.takeRoom();
  const place = await requirePlace(services, { setup, by: request.by });
  const { mcpServers } = setup;
  const governance = await openGovernance(services.governance, { place, mcpServers, entry });
  const listed = found.kind === 'listed' ? found.session : {};
  let launched: LaunchedAgent | undefined;
  let session: Session | undefined;
  try {
    launched = await launchInPlace(services, { entry, profile, place, governance });
    const { connection } = launched;
    const withId = (id: SessionId): SessionRecord =>
      adoptedRecord(id, sessionId, request, { ...place, identities: governance.guard.identities() }, listed);
    session = await directory.draft(sessionId, withId, { by: request.by, mcpServers, profile, governance });
    session.note('adopted', { by });
    session.bind(launched, sessionId);
    const raw = inPlace(opening(by, request), setup, place, governance.forAgent(1));
    const reply = await callWhileHeard(session, services.limits.sessionNewMs, (onReply) =>
      connection.request(raw, onReply),
    );
    if (reply === 'late') {
      throw new ReeveError('agent_timeout', {
        message: `agent "${entry.name}" did not answer session/${by} and said nothing for ${services.limits.sessionNewMs} ms (timeouts.sessionNewMs)`,
        data: { agent: entry.name, stderr: connection.process.stderrTail() },
      });
    }
    if (reply.kind === 'gone') throw crashError(entry.name, connection, reply.exit, true);
    if (reply.kind === 'error') throw refusal(entry.name, sessionId, reply.error, found.kind === 'listed');
    session.learn(setupFromResult(session.record.setup, reply.result));
    await session.durable();
    await directory.publish(session);
    return by;
  } catch (error) {
    await session?.end('closed').catch(() => {});
    if (launched) await stopAgent(launched.connection, services.agents.limits);
    await governance[Symbol.asyncDispose]();
    if (session) await directory.discard(session.id);
    throw error;
  }
}

function adoptedRecord(
  sessionId: SessionId,
  agentSessionId: SessionId,
  { asked, setup }: AdoptRequest,
  place: SessionPlace,
  { title }: JsonObject,
): SessionRecord {
  // Somebody took the id meanwhile: the client would not find this session under it.
  if (sessionId !== agentSessionId) throw new ReeveError('conflict', { data: { sessionId: agentSessionId } });
  const named = typeof title === 'string' ? { title } : {};
  return newRecord({
    sessionId,
    agent: asked.entry.name,
    agentSessionId,
    asked: setup,
    place,
    ...named,
    setup: {},
    metadata: {},
  });
}

/** The client's own request, under the method by which the agent opens the session. */
function opening(by: AdoptedBy, { setup, raw }: AdoptRequest): Buffer {
  const request = setMember(raw, ['method'], JSON.stringify(`session/${by}`));
  return setup.mcpServers.length > 0 ? request : setMember(request, ['params', 'mcpServers'], '[]');
}

/** Waits for the reply as long as the log of the session grows. */
function callWhileHeard(
  session: Session,
  silenceMs: number,
  request: (onReply: (reply: AgentReply) => void) => void,
): Promise<AgentReply | 'late'> {
  return new Promise((resolve) => {
    let heard = session.lastSeq;
    const timer = setInterval(() => {
      if (session.lastSeq === heard) {
        clearInterval(timer);
        resolve('late');
      }
      heard = session.lastSeq;
    }, silenceMs);
    request((reply) => {
      clearInterval(timer);
      resolve(reply);
    });
  });
}

function unknown(sessionId: SessionId): ReeveError {
  return new ReeveError('not_found', {
    message: 'there is no such session, and the agent knows none of this id',
    data: { sessionId },
  });
}

/** What the client is told when the agent does not open the session: an agent that lists it has its own reason. */
function refusal(
  agent: string,
  sessionId: SessionId,
  error: { readonly code: number; readonly message: string },
  listed: boolean,
): ReeveError {
  const data = { sessionId, agent, error };
  if (error.code === -32000) return new ReeveError('authentication_required', { data });
  const message = `agent "${agent}" did not open the session: ${error.message}`;
  return new ReeveError(listed ? 'agent_start_failed' : 'not_found', { message, data });
}
