import {
  CHOICES,
  type EventSeq,
  hideMcpSecrets,
  isObject,
  type JsonObject,
  type JsonRpcId,
  META_KEY,
  memberSpan,
  parseSessionId,
  ReeveError,
  type SessionId,
  type SessionSetup,
  setMember,
} from '@reeve/protocol';
import { versionOf } from '../agents/acp-version.ts';
import type { AgentReply } from '../agents/agent-connection.ts';
import { crashError, type LaunchedAgent, stopAgent } from '../agents/agent-launch.ts';
import type { AgentEntry } from '../agents/agent-registry.ts';
import { Slice } from '../pace/in-slices.ts';
import { chooseAtCreation } from './choose-at-creation.ts';
import type { ClientPort } from './client-port.ts';
import { shownSetup } from './config-options.ts';
import { setupFromResult } from './follow-setup.ts';
import { freeAlias } from './free-alias.ts';
import { launchInPlace } from './launch-in-place.ts';
import { newRecord } from './new-record.ts';
import { requirePlace } from './require-place.ts';
import type { Session } from './session.ts';
import type { SessionDirectory } from './session-directory.ts';
import { openGovernance } from './session-governance.ts';
import { recordOfMetadata, requireMetadata } from './session-metadata.ts';
import { inPlace } from './session-place.ts';
import type { SessionRecord } from './session-store.ts';
import type { SetupState } from './setup-state.ts';
import { withId } from './turn-answer.ts';

export interface CreateRequest {
  readonly port: ClientPort;
  readonly entry: AgentEntry;
  readonly id: JsonRpcId;
  readonly setup: SessionSetup;
  /** The whole request as it came. */
  readonly raw: Buffer;
  /** Params of the login by which this client logged in, for an agent that forgets it from process to process. */
  readonly authenticated: JsonObject | undefined;
  /** Sends the response; what the session says comes after it. */
  readonly respond: (message: Buffer) => void;
}

/** ACP, authentication. */
const AUTHENTICATION_REQUIRED = -32000;
const LOGIN = { 1: 'authenticate', 2: 'auth/login' } as const;

/**
 * `session/new`: starts an agent process in `cwd`, forwards the request as it is, responds once the session is on disk, and attaches
 * the client. The agent's own refusal is passed on with its data. Nothing is left running after an error.
 */
export async function createSession(directory: SessionDirectory, request: CreateRequest): Promise<void> {
  using _room = directory.takeRoom();
  const { services } = directory;
  const { port, setup } = request;
  const protocolVersion = versionOf(port.profile);
  // A large boundary is gone through many times: others have their turn in between.
  const slice = new Slice();
  const metadata = requireMetadata(setup.meta, services.limits.maxMetadataBytes);
  if (slice.isOver()) await slice.next();
  const alias = await freeAlias(services.store, setup.meta);
  const { entry, version } = await services.agents.versions.entryFor(
    request.entry,
    setup.meta.agentVersionRequested,
    port.profile,
  );
  const place = await requirePlace(services, { setup, by: port.label });
  if (slice.isOver()) await slice.next();
  const { mcpServers } = setup;
  const governance = await openGovernance(services.governance, {
    place,
    mcpServers,
    entry,
    metadata,
  });
  let launched: LaunchedAgent | undefined;
  let session: Session | undefined;
  try {
    launched = await launchInPlace(services, { entry, profile: port.profile, place, governance });
    const forAgent = { entry, raw: inPlace(request.raw, setup, place, governance.forAgent(protocolVersion)) };
    let reply = await newAgentSession(launched, forAgent, services.limits.sessionNewMs);
    if (reply.kind === 'error' && reply.error.code === AUTHENTICATION_REQUIRED && request.authenticated) {
      const login = await launched.connection.call(LOGIN[protocolVersion], request.authenticated);
      if (login.kind === 'result') reply = await newAgentSession(launched, forAgent, services.limits.sessionNewMs);
    }
    if (reply.kind === 'result' || reply.error.code === AUTHENTICATION_REQUIRED) {
      services.agents.tellLogin(entry, reply.kind === 'error');
    }
    if (reply.kind === 'error') {
      await Promise.all([stopAgent(launched.connection, services.agents.limits), governance[Symbol.asyncDispose]()]);
      return request.respond(withId(explained(reply.raw, reply.error), request.id));
    }
    const result = isObject(reply.result) ? reply.result : {};
    const agentSessionId = parseSessionId(result.sessionId);
    if (!agentSessionId) {
      throw new ReeveError('agent_start_failed', {
        message: `agent "${entry.name}" gave no usable sessionId`,
        data: { agent: entry.name },
      });
    }
    const given = setupFromResult({}, result);
    const bounds = {
      deadlineMs: services.limits.sessionNewMs,
      maxHeardBytes: services.agents.limits.maxLineBytes,
    };
    const chosen = CHOICES.some((choice) => metadata[choice] !== undefined)
      ? await chooseAtCreation(launched.connection, agentSessionId, metadata, given, bounds)
      : undefined;
    const { exit } = launched.connection;
    if (chosen && exit) throw crashError(entry.name, launched.connection, exit, true);
    const current = chosen?.setup ?? given;
    const withFreeId = (sessionId: SessionId): SessionRecord =>
      newRecord({
        sessionId,
        agent: entry.name,
        ...(protocolVersion === 1 ? {} : { protocolVersion }),
        ...(version === undefined ? {} : { agentVersion: version }),
        agentSessionId,
        asked: setup,
        place: { ...place, identities: governance.guard.identities() },
        alias,
        setup: current,
        ...recordOfMetadata(metadata),
      });
    const logged = hideMcpSecrets(request.raw);
    if (slice.isOver()) await slice.next();
    session = await directory.add(agentSessionId, withFreeId, {
      by: port.label,
      mcpServers,
      profile: port.profile,
      governance,
    });
    session.logCommand(port, logged);
    session.bind(launched, agentSessionId, chosen?.heard);
    if (metadata.title !== undefined) session.metadata.tellTitle();
    await session.durable();
    if (slice.isOver()) await slice.next();
    const ours = {
      ...metadata,
      ...(chosen ? { applied: chosen.applied } : {}),
      agent: entry.name,
      enforcement: launched.enforcement,
      boundary: session.boundary,
      mcpServers: session.servers,
      ...(version === undefined ? {} : { agentVersion: version }),
      ...(alias === undefined ? {} : { requestedSessionId: alias }),
    };
    const shown = shownSetup(current, port.profile);
    request.respond(response(reply.raw, request.id, session.id, changed(given, shown), ours));
    session.attach(port, 'controller', 0 as EventSeq);
    session.offerPending(port, 0 as EventSeq);
  } catch (error) {
    await Promise.all([
      session?.end('deleted').catch(() => {}),
      launched && stopAgent(launched.connection, services.agents.limits),
    ]);
    await governance[Symbol.asyncDispose]();
    throw error;
  }
}

async function newAgentSession(
  launched: LaunchedAgent,
  { entry, raw }: Pick<CreateRequest, 'entry' | 'raw'>,
  deadlineMs: number,
): Promise<Extract<AgentReply, { kind: 'result' | 'error' }>> {
  const { connection } = launched;
  const reply = await new Promise<AgentReply | 'late'>((resolve) => {
    const timer = setTimeout(resolve, deadlineMs, 'late');
    connection.request(raw, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
  if (reply === 'late') {
    throw new ReeveError('agent_timeout', {
      message: `agent "${entry.name}" did not answer session/new within ${deadlineMs} ms (timeouts.sessionNewMs)`,
      data: { agent: entry.name, stderr: connection.process.stderrTail() },
    });
  }
  if (reply.kind === 'gone') throw crashError(entry.name, connection, reply.exit, true);
  return reply;
}

/** The agent's refusal of our parameters with our own words beside it; any other error as it came. */
function explained(raw: Buffer, error: { readonly code: number; readonly data?: unknown }): Buffer {
  if (error.code !== -32602 || !(error.data === undefined || isObject(error.data))) return raw;
  const words = 'The agent itself refused these parameters, Reeve had no objection: what it says of them is in "data".';
  return setMember(raw, ['error', 'data', '_meta', META_KEY, 'message'], JSON.stringify(words));
}

/** The members of a setup that are not as the agent gave them. */
function changed(given: SetupState, shown: SetupState): SetupState {
  return Object.fromEntries(Object.entries(shown).filter(([name, value]) => given[name] !== value));
}

/** The agent's own response, byte for byte but for the ids, what was chosen since, and our `_meta`. */
function response(raw: Buffer, id: JsonRpcId, sessionId: SessionId, members: SetupState, ours: JsonObject): Buffer {
  let message = withId(raw, id);
  for (const [name, value] of Object.entries(members)) {
    message = setMember(message, ['result', name], JSON.stringify(value));
  }
  message = setMember(message, ['result', 'sessionId'], JSON.stringify(sessionId));
  const place = ['result', '_meta', META_KEY];
  // A boundary may be large: it is put in at once, and not looked through for the next member.
  if (memberSpan(message, place) === undefined) return setMember(message, place, JSON.stringify(ours));
  for (const [name, value] of Object.entries(ours)) {
    if (value !== undefined) message = setMember(message, [...place, name], JSON.stringify(value));
  }
  return message;
}
