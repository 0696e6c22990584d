import {
  type BegunTurn,
  type ChangedMetadata,
  type EventSeq,
  EXTENSION,
  encodeRequest,
  errorNameOf,
  isObject,
  type JsonObject,
  META_KEY,
  type NewFork,
  type NewSession,
  type NewTurn,
  ReeveError,
  type RpcError,
  type SessionId,
  type TurnOutcome,
} from '@reeve/protocol';
import type { AgentPool } from '../agents/agent-pool.ts';
import { checkInlineContent } from '../sessions/inline-content.ts';
import { attachToSession } from '../sessions/session-attach.ts';
import { createSession } from '../sessions/session-create.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import { forkSession } from '../sessions/session-fork.ts';
import { setSessionMetadata } from '../sessions/set-session-metadata.ts';
import { requireSetup } from '../sessions/setup-check.ts';
import { type Answered, HTTP_PROFILE, HttpClientPort } from './http-client-port.ts';
import { promptBlocks, promptCapabilitiesOf } from './prompt-blocks.ts';
import { turnText } from './turn-text.ts';
import { workEnded } from './work-ended.ts';

/** A turn that somebody may wait for. */
export interface DrivenTurn extends BegunTurn {
  /** Settles with the turn; what it rejects with is for the caller. */
  readonly finished: Promise<TurnOutcome>;
  /** The caller does not wait any more: the turn goes on without it. */
  leave(): void;
}

/** Drives sessions for callers that speak no ACP: each call is a client of its own for as long as it takes. */
export interface SessionDriver {
  /** `session/new`: the result as the agent and Reeve gave it. Rejects with a ReeveError. */
  create(wanted: NewSession, label: string): Promise<JsonObject & { readonly sessionId: SessionId }>;
  /** `session/fork`, in the parent's directories unless told. Rejects with a ReeveError. */
  fork(idOrAlias: string, wanted: NewFork, label: string): Promise<JsonObject & { readonly sessionId: SessionId }>;
  /** `session/prompt`, after restoring the session if need be. Rejects when the prompt is refused. */
  prompt(idOrAlias: string, turn: NewTurn, label: string): Promise<DrivenTurn>;
  /** `session/cancel`; nothing where nothing runs. Rejects with `not_found`. */
  cancel(idOrAlias: string, label: string): Promise<void>;
  /** `_sandboxagent/session/set_metadata`. Rejects with a ReeveError. */
  setMetadata(idOrAlias: string, patch: JsonObject, label: string): Promise<ChangedMetadata>;
}

/** The longest answer text that is given back in one piece, in characters. */
const MAX_TURN_TEXT = 1024 * 1024;
const JOIN_ID = 'join';
const CREATE_ID = 'new';
const FORK_ID = 'fork';
const PROMPT_ID = 'prompt';
const PATCH_ID = 'metadata';

export function createSessionDriver(directory: SessionDirectory, agents: AgentPool): SessionDriver {
  async function join(
    port: HttpClientPort,
    idOrAlias: string,
    given: readonly unknown[] | undefined,
  ): Promise<SessionId> {
    const mcpServers = given ?? [];
    const { sessionId, cwd, additionalDirectories } = await directory.record(idOrAlias);
    const params = { sessionId, cwd, additionalDirectories, mcpServers };
    const setup = await requireSetup('session/resume', params, {
      ...ANY_SERVER,
      sessionCapabilities: { additionalDirectories: {} },
    });
    const raw = Buffer.from(encodeRequest(JOIN_ID, 'session/resume', params));
    const answer = port.answerTo(JOIN_ID);
    await attachToSession(directory, {
      port,
      method: 'session/resume',
      id: JOIN_ID,
      setup,
      raw,
      keepsServers: given === undefined,
    });
    resultOf(await answer);
    return sessionId;
  }

  return {
    async create({ agent, cwd, additionalDirectories = [], mcpServers = [], metadata = {} }, label) {
      const port = new HttpClientPort(label);
      // Over ACP the agent of a session stands in its metadata.
      const named = typeof metadata.agent === 'string' ? metadata.agent : undefined;
      const entry = agents.entry(agent ?? named);
      const initialize = await agents.initialize(entry, HTTP_PROFILE);
      const capabilities = isObject(initialize.agentCapabilities) ? initialize.agentCapabilities : {};
      const extra = additionalDirectories.length === 0 ? {} : { additionalDirectories };
      const params = { cwd, mcpServers, ...extra, _meta: { [META_KEY]: metadata } };
      const setup = await requireSetup('session/new', params, capabilities);
      const raw = Buffer.from(encodeRequest(CREATE_ID, 'session/new', params));
      const answer = port.answerTo(CREATE_ID);
      const respond = (message: Buffer): void => port.take(message);
      try {
        await createSession(directory, { port, entry, id: CREATE_ID, setup, raw, authenticated: undefined, respond });
        return resultOf(await answer) as JsonObject & { readonly sessionId: SessionId };
      } finally {
        directory.leaveAll(port.id);
      }
    },

    async fork(idOrAlias, { mcpServers = [], metadata = {}, ...wanted }, label) {
      const parent = await directory.record(idOrAlias);
      if (parent.protocolVersion === 2) {
        throw new ReeveError('capability_missing', { message: 'a session of ACP v2 cannot be forked' });
      }
      const port = new HttpClientPort(label);
      const initialize = await agents.initialize(agents.entry(parent.agent), HTTP_PROFILE);
      const capabilities = isObject(initialize.agentCapabilities) ? initialize.agentCapabilities : {};
      const { sessionId } = parent;
      const { cwd = parent.cwd, additionalDirectories = parent.additionalDirectories } = wanted;
      const params = { sessionId, cwd, additionalDirectories, mcpServers, _meta: { [META_KEY]: metadata } };
      const setup = await requireSetup('session/fork', params, capabilities);
      const raw = Buffer.from(encodeRequest(FORK_ID, 'session/fork', params));
      const answer = port.answerTo(FORK_ID);
      const respond = (message: string): void => port.take(Buffer.from(message));
      try {
        await forkSession(directory, { port, id: FORK_ID, setup, raw, respond });
        return resultOf(await answer) as JsonObject & { readonly sessionId: SessionId };
      } finally {
        directory.leaveAll(port.id);
      }
    },

    async prompt(idOrAlias, { prompt, attachments = [], idempotencyKey, whenBusy, mcpServers }, label) {
      const { protocolVersion = 1 } = await directory.record(idOrAlias);
      const port = new HttpClientPort(label, protocolVersion);
      const leave = (): void => directory.leaveAll(port.id);
      try {
        const sessionId = await join(port, idOrAlias, mcpServers);
        const session = directory.attached(sessionId, port.id);
        const initialize = agents.lastInitialize(agents.entry(session.record.agent), protocolVersion);
        const ours = {
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
          ...(whenBusy === undefined ? {} : { whenBusy }),
        };
        const params = {
          sessionId,
          prompt: promptBlocks(prompt, attachments, promptCapabilitiesOf(initialize)),
          ...(Object.keys(ours).length === 0 ? {} : { _meta: { [META_KEY]: ours } }),
        };
        checkInlineContent(params.prompt, directory.services.limits.maxAttachmentBytes);
        const after = session.lastSeq;
        const { busy, runs } = session.foreground;
        const answer = port.answerTo(PROMPT_ID);
        const raw = Buffer.from(encodeRequest(PROMPT_ID, 'session/prompt', params));
        await session.prompt({ port, id: PROMPT_ID, params, raw }, idempotencyKey);
        const finished = answer.then(async (answered): Promise<TurnOutcome> => {
          const result = resultOf(answered);
          const said = async (until: EventSeq) =>
            turnText(directory.services.log, sessionId, { connection: port.id, after, until }, MAX_TURN_TEXT);
          let stopReason = isObject(result) ? result.stopReason : undefined;
          if (protocolVersion === 2) {
            const sentNow = (await said(session.lastSeq)).text !== undefined;
            stopReason = await workEnded(session, { busy, runs }, sentNow);
            await session.durable();
          }
          const lastSeq = session.lastSeq;
          return { sessionId, after, lastSeq, stopReason, ...(await said(lastSeq)), result };
        });
        return { sessionId, after, finished: finished.finally(leave), leave };
      } catch (error) {
        leave();
        throw error;
      }
    },

    async cancel(idOrAlias, label) {
      const { sessionId } = await directory.record(idOrAlias);
      const params = { sessionId };
      const raw = Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params }));
      directory.live(sessionId)?.cancel(new HttpClientPort(label), raw, params);
    },

    async setMetadata(idOrAlias, patch, label) {
      const { sessionId } = await directory.record(idOrAlias);
      const port = new HttpClientPort(label);
      const raw = Buffer.from(encodeRequest(PATCH_ID, EXTENSION.setMetadata, { sessionId, metadata: patch }));
      const { metadata, applied } = await setSessionMetadata(directory, sessionId, patch, {
        profile: HTTP_PROFILE,
        log: (opened) => opened.logCommand(port, raw),
      });
      return { metadata, ...(applied === undefined ? {} : { applied }) };
    },
  };
}

/** Towards the agent a server that it cannot reach is no matter of a prompt: the session was made with its servers. */
const ANY_SERVER = { mcpCapabilities: { http: true, sse: true, acp: true } };

/** The result, or the error as ours: an agent's own keeps its words, and its code where that is one of the table. */
function resultOf(answered: Answered): unknown {
  if (answered.kind === 'result') return answered.result;
  const { code, message, data } = answered.error as RpcError;
  const name = errorNameOf(code) ?? 'agent_refused';
  const told = isObject(data) ? data : data === undefined ? undefined : { details: data };
  throw new ReeveError(name, { message, data: name === 'agent_refused' ? { code, ...told } : told });
}
