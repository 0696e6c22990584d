import {
  CHOICES,
  encodeResult,
  hideMcpSecrets,
  isObject,
  type JsonObject,
  type JsonRpcId,
  META_KEY,
  ourMeta,
  parseSessionId,
  ReeveError,
  removeMember,
  type SessionId,
  type SessionMetadata,
  type SessionSetup,
  setMember,
} from '@reeve/protocol';

import { crashError, type LaunchedAgent, stopAgent } from '../agents/agent-launch.ts';
import { callListening } from '../agents/call-agent.ts';
import { announced } from './agent-sessions.ts';
import type { ClientPort } from './client-port.ts';
import { shownSetup } from './config-options.ts';
import { setupFromResult } from './follow-setup.ts';
import { copyConversation } from './fork-copy.ts';
import { freeAlias } from './free-alias.ts';
import { launchInPlace } from './launch-in-place.ts';
import { newRecord } from './new-record.ts';
import { requirePlace } from './require-place.ts';
import type { Session } from './session.ts';
import type { SessionDirectory } from './session-directory.ts';
import { type Governance, openGovernance } from './session-governance.ts';
import { metadataOf, recordOfMetadata, requireForkMetadata } from './session-metadata.ts';
import { inPlace, type SessionPlace } from './session-place.ts';
import type { SessionRecord } from './session-store.ts';

export interface ForkRequest {
  readonly port: ClientPort;
  readonly id: JsonRpcId;
  /** Its `sessionId` is the parent's, or the parent's alias. */
  readonly setup: SessionSetup;
  /** The whole request as it came. */
  readonly raw: Buffer;
  /** Sends the response; what the session says comes after it. */
  readonly respond: (message: string) => void;
}

/** Who remembers the parent's conversation: the agent, which forked its own session, or a new agent session that is told the transcript. */
export type ForkedBy = 'agent' | 'transcript';

/** An agent process with a conversation that goes on from the parent's. */
interface ForkedAgent {
  readonly by: ForkedBy;
  /** Why the agent did not fork. */
  readonly why?: string;
  readonly launched: LaunchedAgent;
  readonly governance: Governance;
  readonly agentSessionId: SessionId;
  /** The agent's own result. */
  readonly result: JsonObject;
}

/**
 * `session/fork`: a new session with a process and a log of its own that goes on from the parent's last finished turn, whether the parent
 * lives or not. What the request says of metadata and choices counts before the parent's. The client is attached to it. Nothing is left
 * running after an error, and nobody finds the session before it is whole.
 */
export async function forkSession(directory: SessionDirectory, request: ForkRequest): Promise<void> {
  using _room = directory.takeRoom();
  const { services } = directory;
  const { port, id, setup, raw, respond } = request;
  const stored = await directory.record(setup.sessionId);
  const metadata = requireForkMetadata(stored, setup.meta, services.limits.maxMetadataBytes);
  const alias = await freeAlias(services.store, setup.meta);
  const live = directory.live(stored.sessionId);
  await live?.durable();
  const parent = live?.record ?? stored;
  const seq = live ? live.forkPoint : await services.log.head(parent.sessionId);
  const obstacle = live ? live.forkObstacle : parent.untold ? UNTOLD : undefined;

  const inWorkspace = { ...setup, meta: { ...setup.meta, workspace: metadata.workspace } };
  const place = await requirePlace(services, { setup: inWorkspace, by: port.label, wished: metadata.boundary });
  const forked = await forkAgent(directory, request, parent, place, metadata, obstacle);
  const { launched, governance, agentSessionId, by, why, result } = forked;
  let session: Session | undefined;
  try {
    const withFreeId = (sessionId: SessionId): SessionRecord =>
      forkRecord({
        sessionId,
        parent,
        setup,
        place: { ...place, identities: governance.guard.identities() },
        agentSessionId,
        metadata,
        alias,
      });
    session = await directory.draft(agentSessionId, withFreeId, {
      by: port.label,
      mcpServers: setup.mcpServers,
      profile: port.profile,
      governance,
    });
    const fork = session;
    fork.note('forked', { parent: parent.sessionId, seq, by, ...(why === undefined ? {} : { why }) });
    services.audit.note({
      kind: 'session.forked',
      session: fork.id,
      by: port.label,
      parent: parent.sessionId,
      how: by,
    });
    await copyConversation(
      services.log,
      parent,
      seq,
      fork.id,
      (event) => fork.copy(event),
      () => fork.durable(),
    );
    if (fork.record.title !== parent.title) fork.metadata.tellTitle();
    fork.logCommand(port, hideMcpSecrets(raw));
    await fork.durable();
    if (by === 'transcript') await fork.retellNext();
    const after = fork.lastSeq;
    const applied = await fork.inherit(launched, { agentSessionId, setup: setupFromResult({}, result) }, parent.setup);
    const { exit } = launched.connection;
    if (exit) throw crashError(parent.agent, launched.connection, exit, true);
    await fork.durable();
    await directory.publish(fork);
    const ours = {
      ...metadataOf(fork.record),
      ...(Object.keys(applied).length === 0 ? {} : { applied }),
      agent: parent.agent,
      enforcement: launched.enforcement,
      boundary: fork.boundary,
      mcpServers: fork.servers,
      forked: by,
      parent: { sessionId: parent.sessionId, seq },
      ...(alias === undefined ? {} : { requestedSessionId: alias }),
    };
    const theirs = isObject(result._meta) ? result._meta : {};
    const shown = shownSetup(fork.record.setup, port.profile);
    respond(
      encodeResult(id, {
        sessionId: fork.id,
        ...shown,
        _meta: { ...theirs, [META_KEY]: { ...ourMeta(result), ...ours } },
      }),
    );
    fork.attach(port, 'controller', after);
    fork.offerPending(port, after);
  } catch (error) {
    await session?.end('deleted').catch(() => {});
    await stopAgent(launched.connection, services.agents.limits);
    await governance[Symbol.asyncDispose]();
    if (session) await directory.discard(session.id);
    throw error;
  }
}

const UNTOLD = 'the agent of the parent was not told yet what was said';

/** A process in the fork's directory, with the agent's own fork in it where that can be had. */
async function forkAgent(
  { services }: SessionDirectory,
  { port, setup, raw }: ForkRequest,
  parent: SessionRecord,
  place: SessionPlace,
  metadata: SessionMetadata,
  obstacle: string | undefined,
): Promise<ForkedAgent> {
  const { agents, limits } = services;
  const { entry } = await agents.versions.entryAgain(agents.entry(parent.agent), parent.agentVersion, port.profile);
  const governance = await openGovernance(services.governance, {
    place,
    mcpServers: setup.mcpServers,
    entry,
    metadata,
  });
  const start = (): Promise<LaunchedAgent> =>
    launchInPlace(services, { entry, profile: port.profile, place, governance });
  const open = async (
    launched: LaunchedAgent,
    message: Buffer,
  ): Promise<{ id: SessionId; result: JsonObject } | string> => {
    // A fork may be replayed; our log has that already.
    const reply = await callListening(launched.connection, message, limits.sessionNewMs);
    if (reply === 'late') return `it was silent for ${limits.sessionNewMs} ms (timeouts.sessionNewMs)`;
    if (reply.kind === 'gone') return crashError(parent.agent, launched.connection, reply.exit, true).message;
    if (reply.kind === 'error') return reply.error.message;
    const result = isObject(reply.result) ? reply.result : {};
    return { result, id: parseSessionId(result.sessionId) ?? ('' as SessionId) };
  };
  let launched: LaunchedAgent | undefined;
  try {
    launched = await start();
    const can = announced(launched.initialize);
    let why = obstacle ?? (can.fork ? undefined : 'the agent does not announce session/fork');
    const request = forAgent(
      can.additionalDirectories,
      inPlace(hinted(raw, setup, metadata), setup, place, governance.forAgent(1)),
    );
    if (why === undefined) {
      const parentId = JSON.stringify(parent.agentSessionId);
      const fork = setMember(setMember(request, ['method'], '"session/fork"'), ['params', 'sessionId'], parentId);
      const opened = await open(launched, fork);
      if (typeof opened !== 'string' && opened.id !== '' && opened.id !== parent.agentSessionId) {
        return { by: 'agent', launched, governance, agentSessionId: opened.id, result: opened.result };
      }
      why = typeof opened === 'string' ? opened : 'the agent gave no usable sessionId';
      await stopAgent(launched.connection, agents.limits);
      launched = await start();
    }
    const opened = await open(
      launched,
      setMember(removeMember(request, ['params', 'sessionId']), ['method'], '"session/new"'),
    );
    if (typeof opened !== 'string' && opened.id !== '') {
      return { by: 'transcript', why, launched, governance, agentSessionId: opened.id, result: opened.result };
    }
    throw new ReeveError('agent_start_failed', {
      message: `agent "${parent.agent}" opened no session: ${typeof opened === 'string' ? opened : 'it gave no usable sessionId'}`,
      data: { agent: parent.agent, stderr: launched.connection.process.stderrTail() },
    });
  } catch (error) {
    if (launched) await stopAgent(launched.connection, agents.limits);
    await governance[Symbol.asyncDispose]();
    throw error;
  }
}

/** The client's request with what counts of the parent, and the list of servers that some leave out. */
function hinted(raw: Buffer, { mcpServers, meta }: SessionSetup, metadata: SessionMetadata): Buffer {
  const hints = { ...meta, ...metadata };
  const request =
    Object.keys(hints).length === 0 ? raw : setMember(raw, ['params', '_meta', META_KEY], JSON.stringify(hints));
  return mcpServers.length > 0 ? request : setMember(request, ['params', 'mcpServers'], '[]');
}

function forAgent(takesDirectories: boolean, request: Buffer): Buffer {
  return takesDirectories ? request : removeMember(request, ['params', 'additionalDirectories']);
}

interface NewFork {
  readonly sessionId: SessionId;
  readonly parent: SessionRecord;
  readonly setup: SessionSetup;
  readonly place: SessionPlace;
  readonly agentSessionId: SessionId;
  readonly metadata: SessionMetadata;
  readonly alias: SessionId | undefined;
}

function forkRecord({ sessionId, parent, setup, place, agentSessionId, metadata, alias }: NewFork): SessionRecord {
  const { agent, agentVersion, awaited = [] } = parent;
  const chosen = CHOICES.filter((choice) => metadata[choice] !== undefined);
  return newRecord({
    sessionId,
    agent,
    agentSessionId,
    ...(agentVersion === undefined ? {} : { agentVersion }),
    alias,
    asked: setup,
    place,
    setup: {},
    // What the parent chose and its agent took is set again; the rest is yet to be brought to the agent.
    awaited: chosen.filter((choice) => Object.hasOwn(setup.meta, choice) || awaited.includes(choice)),
    ...recordOfMetadata(metadata),
  });
}
