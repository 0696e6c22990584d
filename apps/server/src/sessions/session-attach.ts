import {
  type EventSeq,
  hideMcpSecrets,
  type JsonRpcId,
  META_KEY,
  ReeveError,
  type SessionId,
  type SessionSetup,
} from '@reeve/protocol';
import { type AcpVersion, versionOf } from '../agents/acp-version.ts';
import type { AgentEntry } from '../agents/agent-registry.ts';
import type { AdoptedBy } from './adoptions.ts';
import { readAfter, readRole } from './attach-options.ts';
import type { ClientPort, Role } from './client-port.ts';
import { shownSetup } from './config-options.ts';
import type { Session } from './session.ts';
import { adoptSession } from './session-adopt.ts';
import type { SessionDirectory } from './session-directory.ts';
import { metadataOf } from './session-metadata.ts';
import type { SessionRecord } from './session-store.ts';

export interface AttachRequest {
  readonly port: ClientPort;
  /** The agent that is asked for a session that this server does not know; without one nobody is. */
  readonly entry?: AgentEntry;
  readonly method: 'session/load' | 'session/resume';
  readonly id: JsonRpcId;
  readonly setup: SessionSetup;
  readonly raw: Buffer;
  /** The client says nothing of MCP servers: a session in memory has those that it had. */
  readonly keepsServers?: boolean;
}

/**
 * `session/load` and `session/resume`: the client joins a session, whoever else is there. Load brings the history first, resume none of
 * it, `after` what is missing. A controller finds a live agent, restored if need be. The response goes out by the session's own stream,
 * after the replay and before what comes next.
 */
export async function attachToSession(directory: SessionDirectory, request: AttachRequest): Promise<void> {
  const { port, setup } = request;
  const meta = setup.meta;
  const role = readRole(meta);
  const wantedAfter = readAfter(meta);
  const adopted =
    role === 'controller' && versionOf(port.profile) === 1 ? await adoptUnknown(directory, request) : undefined;
  const record = await directory.record(setup.sessionId);
  requireVersion(record, versionOf(port.profile));
  const session = await directory.open(record, { by: port.label, mcpServers: setup.mcpServers, profile: port.profile });
  try {
    await join(session, request, role, wantedAfter, adopted);
  } catch (error) {
    session.release();
    throw error;
  }
}

/** Takes over a session that only the agent knows; undefined where this server knows it. */
async function adoptUnknown(
  directory: SessionDirectory,
  { port, entry, method, setup, raw }: AttachRequest,
): Promise<AdoptedBy | undefined> {
  const sessionId = setup.sessionId as SessionId;
  const running = directory.adoptions.running(sessionId);
  if (running) return running;
  if (!entry || (await directory.find(sessionId))) return undefined;
  const asked = { entry, profile: port.profile };
  return directory.adoptions.once(sessionId, () =>
    adoptSession(directory, { asked, by: port.label, method, setup, raw }),
  );
}

/** The log is replayed as it is: a client must understand what the agent and the clients before it said. */
export function requireVersion({ sessionId, protocolVersion = 1 }: SessionRecord, version: AcpVersion): void {
  if (protocolVersion === version) return;
  throw new ReeveError('conflict', {
    message: `this session speaks version ${protocolVersion} of ACP, this connection version ${version}: open it on a connection that was initialized with protocolVersion ${protocolVersion}`,
    data: { details: 'a session keeps the version in which it was created', sessionId, protocolVersion },
  });
}

async function join(
  session: Session,
  { port, method, id, setup, raw, keepsServers = false }: AttachRequest,
  role: Role,
  wantedAfter: EventSeq | undefined,
  adopted: AdoptedBy | undefined,
): Promise<void> {
  const startWith = { by: port.label, mcpServers: setup.mcpServers, profile: port.profile };
  if (role === 'controller') session.prepareRestore(startWith, setup.additionalDirectories, keepsServers);
  const restored = role === 'controller' ? await session.wake() : undefined;
  if (session.ending) throw new ReeveError('session_closed', { data: { sessionId: session.id } });
  session.logCommand(port, hideMcpSecrets(raw));

  const head = session.lastSeq;
  const after = wantedAfter ?? (method === 'session/load' ? (0 as EventSeq) : head);
  if (after > head) {
    throw new ReeveError('invalid_params', {
      message: `after: the last seq of this session is ${head}`,
      data: { after, lastSeq: head },
    });
  }
  const replays = session.version === 2 && wantedAfter === undefined;
  const attachment = session.attach(port, role, after, setup.sessionId, replays);
  const { agent, agentVersion } = session.record;
  const ours = {
    sessionId: session.id,
    agent,
    ...(agentVersion === undefined ? {} : { agentVersion }),
    role,
    lastSeq: head,
    state: session.state,
    enforcement: session.enforcement,
    boundary: session.boundary,
    mcpServers: session.servers,
    ...(restored === undefined ? {} : { restored }),
    ...(adopted === undefined ? {} : { adopted }),
  };
  const shown = shownSetup(session.record.setup, port.profile);
  const result = { ...shown, _meta: { [META_KEY]: { ...metadataOf(session.record), ...ours } } };
  if (session.version === 2) attachment?.sendAfter(head, session.foreground.snapshot());
  attachment?.sendAfter(head, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result })));
  if (role === 'controller') session.offerPending(port, head);
}
