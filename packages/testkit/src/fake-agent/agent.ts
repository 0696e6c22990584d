import { randomUUID } from 'node:crypto';
import { type Handlers, v2Handlers } from './agent-v2.ts';
import type { FakeAgentFlags } from './flags.ts';
import { floodChunks } from './flood.ts';
import { initializeResult } from './initialize-result.ts';
import { invalidParams, notFound, type RpcId, RpcRefusal } from './rpc-error.ts';
import { type RunningTurn, runTurn } from './run-turn.ts';
import {
  configOptionsResult,
  initialSettings,
  settingsResult,
  withConfigOption,
  withMode,
  withModel,
} from './session-settings.ts';
import type { SessionState, SessionStore, StoredSession, TranscriptEntry } from './session-store.ts';
import type { Incoming, StdioConnection } from './stdio-connection.ts';
import type { PromptRequest } from './turn.ts';

type Params = Readonly<Record<string, unknown>>;
type Handler = (params: Params, id: RpcId) => Promise<unknown> | unknown;

/**
 * Answers what an ACP v1 client asks, as far as the flags offer it, with `--v2` also a client of v2. Returns the handler of every incoming
 * message.
 */
export function createAgent(
  flags: FakeAgentFlags,
  store: SessionStore,
  connection: () => StdioConnection,
): (incoming: Incoming) => void {
  const turns = new Map<string, { readonly promptId: RpcId; readonly running: RunningTurn }>();
  const sessionParams = new Map<string, Params>();
  let initializeParams: Params = {};
  let authenticated = !flags.requireAuth;

  const send = (sessionId: string, update: object): Promise<void> =>
    connection().send({ method: 'session/update', params: { sessionId, update } });

  const sessionOf = (params: Params): StoredSession => {
    const session = store.find(String(params.sessionId));
    if (session === undefined) throw notFound(params.sessionId);
    return session;
  };

  const change = (params: Params, how: (state: SessionState) => SessionState): SessionState => {
    const session = sessionOf(params);
    store.setState(session.id, { ...how(session.state), updatedAt: new Date().toISOString() });
    return sessionOf(params).state;
  };

  const set = (params: Params, how: (state: SessionState) => SessionState): SessionState => {
    if (flags.refuseSettings) throw new RpcRefusal({ code: -32603, message: 'it cannot be set now' });
    return change(params, how);
  };

  const place = (params: Params, needServers: boolean): Pick<SessionState, 'cwd' | 'additionalDirectories'> => {
    const missing: Record<string, string> = {};
    if (typeof params.cwd !== 'string') missing.cwd = expected('string', params.cwd);
    const servers = params.mcpServers;
    if (!Array.isArray(servers) && (needServers || servers !== undefined)) {
      missing.mcpServers = expected('array', servers);
    }
    if (Object.keys(missing).length > 0) throw invalidParams(missing);
    const { additionalDirectories = [] } = params as { additionalDirectories?: string[] };
    return { cwd: String(params.cwd), additionalDirectories };
  };

  const open = (id: string, params: Params, state: Omit<SessionState, 'updatedAt'>): object => {
    store.setState(id, { ...state, updatedAt: new Date().toISOString() });
    sessionParams.set(id, params);
    return settingsResult(flags, sessionOf({ sessionId: id }).state);
  };

  const create: Handler = (params) => {
    if (!authenticated) throw new RpcRefusal({ code: -32000, message: 'Authentication required' });
    const where = place(params, true);
    const id = flags.sessionId ?? randomUUID();
    store.delete(id);
    return { sessionId: id, ...open(id, params, { ...initialSettings, ...where }) };
  };

  const reopen: Handler = (params) => {
    const { id, state } = sessionOf(params);
    const known = flags.settingsOnce ? { ...state, ...initialSettings } : state;
    const result = open(id, params, { ...known, ...place(params, false) });
    return flags.settingsOnce ? {} : result;
  };

  const load: Handler = async (params) => {
    place(params, true);
    const { id, transcript } = sessionOf(params);
    for (const entry of transcript) {
      if (entry.kind === 'update') await send(id, entry.update);
      else for (const chunk of floodChunks(id, entry.flood)) await connection().write(chunk);
    }
    return reopen(params, 0);
  };

  const fork: Handler = (params) => {
    const parent = sessionOf(params);
    const id = randomUUID();
    const result = { sessionId: id, ...open(id, params, { ...parent.state, ...place(params, false) }) };
    for (const entry of parent.transcript) store.append(id, entry);
    return result;
  };

  const list: Handler = (params) => {
    const start = Number(params.cursor ?? 0);
    const all = store.all().filter(({ state }) => params.cwd == null || state.cwd === params.cwd);
    const sessions = all.slice(start, start + flags.listPage).map(({ id, state }) => ({
      sessionId: id,
      cwd: state.cwd,
      ...(state.title === undefined ? {} : { title: state.title }),
      updatedAt: state.updatedAt,
      ...(flags.addDirs ? { additionalDirectories: state.additionalDirectories } : {}),
    }));
    const end = start + sessions.length;
    return { sessions, ...(end < all.length ? { nextCursor: String(end) } : {}) };
  };

  const keep = (sessionId: string, entry: TranscriptEntry): void => {
    store.append(sessionId, entry);
    if (entry.kind !== 'update') return;
    const { sessionUpdate, currentModeId, title } = entry.update as Record<string, unknown>;
    if (sessionUpdate === 'current_mode_update') {
      change({ sessionId }, (state) => ({ ...state, modeId: String(currentModeId) }));
    }
    if (sessionUpdate === 'session_info_update') change({ sessionId }, (state) => ({ ...state, title: String(title) }));
  };

  const prompt: Handler = async (params, promptId) => {
    const { id: sessionId } = sessionOf(params);
    if (!Array.isArray(params.prompt)) throw invalidParams({ prompt: expected('array', params.prompt) });
    if (turns.has(sessionId)) {
      throw new RpcRefusal({ code: -32600, message: 'Invalid Request', data: { details: 'a turn is running' } });
    }
    for (const content of params.prompt as unknown[]) {
      keep(sessionId, { kind: 'update', update: { sessionUpdate: 'user_message_chunk', content } });
    }
    const update = (it: object): Promise<void> => {
      keep(sessionId, { kind: 'update', update: it });
      return send(sessionId, it);
    };
    const running = runTurn({
      sessionId,
      promptId,
      connection: connection(),
      received: {
        initialize: initializeParams,
        session: sessionParams.get(sessionId),
        prompt: params as unknown as PromptRequest,
      },
      update,
      say: (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
      keep: (entry) => keep(sessionId, entry),
    });
    turns.set(sessionId, { promptId, running });
    const { outcome, fields, afterResponse } = await running.done;
    turns.delete(sessionId);
    setImmediate(afterResponse);
    if (outcome.kind === 'failed') throw new RpcRefusal(outcome.error);
    return { stopReason: outcome.stopReason, ...fields };
  };

  const cancelTurn: Handler = (params) => turns.get(String(params.sessionId))?.running.cancel();

  const v1: Handlers = {
    initialize: (params) => {
      initializeParams = params;
      return flags.hangInitialize ? new Promise(() => undefined) : initializeResult(flags);
    },
    authenticate: () => {
      authenticated = true;
      return {};
    },
    logout: () => {
      authenticated = !flags.requireAuth;
      return {};
    },
    'session/new': create,
    'session/load': flags.load && load,
    'session/resume': flags.resume && reopen,
    'session/fork': flags.fork && fork,
    'session/list': flags.list && list,
    'session/prompt': prompt,
    'session/cancel': cancelTurn,
    'session/close':
      flags.close &&
      ((params) => {
        sessionOf(params);
        void cancelTurn(params, 0);
        return {};
      }),
    'session/delete':
      flags.delete &&
      ((params) => {
        void cancelTurn(params, 0);
        store.delete(String(params.sessionId));
        return {};
      }),
    'session/set_mode':
      flags.modes &&
      (async (params) => {
        const { modeId } = set(params, (state) => withMode(state, params.modeId));
        if (flags.tellSettings) {
          await send(String(params.sessionId), { sessionUpdate: 'current_mode_update', currentModeId: modeId });
        }
        return {};
      }),
    'session/set_model':
      flags.models &&
      ((params) => {
        set(params, (state) => withModel(state, params.modelId));
        return {};
      }),
    'session/set_config_option':
      flags.configOptions &&
      (async (params) => {
        const state = set(params, (before) => withConfigOption(before, params.configId, params.value));
        const configOptions = configOptionsResult(flags, state);
        if (flags.tellSettings) {
          await send(String(params.sessionId), { sessionUpdate: 'config_option_update', configOptions });
        }
        return flags.bareAnswers ? {} : { configOptions };
      }),
    '$/cancel_request': (params) => {
      for (const turn of turns.values()) if (turn.promptId === params.requestId) turn.running.cancelRequest();
    },
  };

  let handlers = v1;
  return ({ id, method, params }) => {
    const wanted = method === 'initialize' ? (params as { protocolVersion?: unknown } | undefined)?.protocolVersion : 1;
    if (flags.v2 && typeof wanted === 'number' && wanted >= 2) handlers = v2Handlers(flags, store, connection);
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    const known = typeof params === 'object' && params !== null ? (params as Params) : {};
    void answer(
      id,
      handler ? async () => handler(known, id ?? '') : () => Promise.reject(methodNotFound(method)),
      connection(),
    );
  };
}

async function answer(id: RpcId | undefined, run: () => Promise<unknown>, connection: StdioConnection): Promise<void> {
  try {
    const result = await run();
    if (id !== undefined) await connection.send({ id, result });
  } catch (error) {
    if (id === undefined) return;
    const details = error instanceof Error ? error.message : String(error);
    await connection.send({
      id,
      error: error instanceof RpcRefusal ? error.error : { code: -32603, message: 'Internal error', data: { details } },
    });
  }
}

function methodNotFound(method: string): RpcRefusal {
  return new RpcRefusal({ code: -32601, message: `"Method not found": ${method}`, data: { method } });
}

function expected(type: string, value: unknown): string {
  const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return `Invalid input: expected ${type}, received ${received}`;
}
