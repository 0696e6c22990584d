import { randomUUID } from 'node:crypto';
import type { FakeAgentFlags } from './flags.ts';
import { initializeResultV2 } from './initialize-result.ts';
import { invalidParams, notFound, type RpcId, RpcRefusal } from './rpc-error.ts';
import { type RunningTurn, runTurn } from './run-turn.ts';
import { configOptionsResult, initialSettings, withConfigOption } from './session-settings.ts';
import type { SessionState, SessionStore, StoredSession } from './session-store.ts';
import type { StdioConnection } from './stdio-connection.ts';
import { v2Connection, v2Update } from './v2-words.ts';

type Params = Readonly<Record<string, unknown>>;
export type Handlers = Readonly<Record<string, ((params: Params, id: RpcId) => Promise<unknown> | unknown) | false>>;

/** The foreground work of one session: prompts that were inserted, one after the other. */
interface Work {
  readonly waiting: (() => Promise<string>)[];
  running: RunningTurn | undefined;
  /** `session/cancel` came: what waits is not begun. */
  cancelled: boolean;
}

/**
 * What the fake agent answers once it was initialized in ACP v2 (`--v2`): a prompt is inserted and answered at once, `state_update` tells
 * how the work goes on. The steps of a prompt are those of v1, said in the words of v2 (v2-words.ts).
 */
export function v2Handlers(flags: FakeAgentFlags, store: SessionStore, connection: () => StdioConnection): Handlers {
  const works = new Map<string, Work>();
  const sessionParams = new Map<string, Params>();
  let initializeParams: Params = {};
  let authenticated = !flags.requireAuth;

  const send = (sessionId: string, update: object): Promise<void> =>
    connection().send({ method: 'session/update', params: { sessionId, update } });
  const keep = async (sessionId: string, update: object): Promise<void> => {
    store.append(sessionId, { kind: 'update', update });
    await send(sessionId, update);
  };
  const state = (sessionId: string, state: string, more: object = {}): Promise<void> =>
    send(sessionId, { sessionUpdate: 'state_update', state, ...more });

  const sessionOf = (params: Params): StoredSession => {
    const session = store.find(String(params.sessionId));
    if (session === undefined) throw notFound(params.sessionId);
    return session;
  };
  const open = (id: string, params: Params, settings: Pick<SessionState, 'config' | 'modeId' | 'modelId'>): object => {
    if (typeof params.cwd !== 'string') throw invalidParams({ cwd: 'Invalid input: expected string' });
    const { additionalDirectories = [] } = params as { additionalDirectories?: string[] };
    const { config, modeId, modelId } = settings;
    const updatedAt = new Date().toISOString();
    store.setState(id, { config, modeId, modelId, cwd: params.cwd, additionalDirectories, updatedAt });
    sessionParams.set(id, params);
    return flags.configOptions ? { configOptions: options(id) } : {};
  };
  const options = (id: string): object[] =>
    configOptionsResult(flags, sessionOf({ sessionId: id }).state).map((option) => {
      const { id: configId, ...rest } = option as { id: string };
      return { configId, ...rest };
    });

  const work = async (sessionId: string, one: Work): Promise<void> => {
    await state(sessionId, 'running');
    let stopReason = 'end_turn';
    for (let begin = one.waiting.shift(); begin && !one.cancelled; begin = one.waiting.shift())
      stopReason = await begin();
    works.delete(sessionId);
    await state(sessionId, 'idle', { stopReason: one.cancelled ? 'cancelled' : stopReason });
  };

  const prompt = async (params: Params, promptId: RpcId): Promise<object> => {
    const { id: sessionId, transcript } = sessionOf(params);
    if (!Array.isArray(params.prompt) || params.prompt.length === 0) throw invalidParams({ prompt: 'expected blocks' });
    const messageId = `message-${transcript.length + 1}`;
    await keep(sessionId, { sessionUpdate: 'user_message', messageId, content: params.prompt });
    const before = works.get(sessionId);
    const one: Work = before ?? { waiting: [], running: undefined, cancelled: false };
    one.waiting.push(async () => {
      const answerId = `answer-to-${messageId}`;
      const update = (it: object): Promise<void> => keep(sessionId, v2Update(it, answerId));
      one.running = runTurn({
        sessionId,
        promptId,
        connection: v2Connection(connection(), {
          signal: () => (one.cancelled ? AbortSignal.abort() : cancel.signal),
          onBlocked: (blocked) => state(sessionId, blocked ? 'requires_action' : 'running'),
        }),
        received: {
          initialize: initializeParams,
          session: sessionParams.get(sessionId),
          prompt: { sessionId, prompt: params.prompt as unknown[] },
        },
        update,
        say: (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
        keep: () => undefined,
      });
      const { outcome, afterResponse } = await one.running.done;
      setImmediate(afterResponse);
      return outcome.kind === 'failed' ? 'error' : outcome.stopReason;
    });
    const cancel = cancels.get(sessionId) ?? new AbortController();
    cancels.set(sessionId, cancel);
    if (!before) {
      works.set(sessionId, one);
      setImmediate(() => void work(sessionId, one));
    }
    return { messageId };
  };

  const cancels = new Map<string, AbortController>();
  const cancelWork = (params: Params): void => {
    const sessionId = String(params.sessionId);
    const one = works.get(sessionId);
    if (!one) return;
    one.cancelled = true;
    cancels.get(sessionId)?.abort();
    cancels.delete(sessionId);
    one.running?.cancel();
  };

  return {
    initialize: (params) => {
      initializeParams = params;
      return initializeResultV2(flags);
    },
    'auth/login': () => {
      authenticated = true;
      return {};
    },
    'auth/logout': () => {
      authenticated = !flags.requireAuth;
      return {};
    },
    'session/new': (params) => {
      if (!authenticated) throw new RpcRefusal({ code: -32000, message: 'Authentication required' });
      const id = flags.sessionId ?? randomUUID();
      store.delete(id);
      return { sessionId: id, ...open(id, params, initialSettings) };
    },
    'session/resume': async (params) => {
      const { id, state: known, transcript } = sessionOf(params);
      const replays = (params.replayFrom as { type?: unknown } | null | undefined)?.type === 'start';
      for (const entry of replays ? transcript : []) if (entry.kind === 'update') await send(id, entry.update);
      const result = open(id, params, flags.settingsOnce ? initialSettings : known);
      await state(id, works.has(id) ? 'running' : 'idle');
      return result;
    },
    'session/list': () => ({
      sessions: store.all().map(({ id, state: { cwd, updatedAt } }) => ({ sessionId: id, cwd, updatedAt })),
    }),
    'session/prompt': prompt,
    'session/cancel': cancelWork,
    'session/close': (params) => {
      sessionOf(params);
      cancelWork(params);
      return {};
    },
    'session/delete':
      flags.delete &&
      ((params) => {
        cancelWork(params);
        store.delete(String(params.sessionId));
        return {};
      }),
    'session/set_config_option':
      flags.configOptions &&
      ((params) => {
        const { id, state: before } = sessionOf(params);
        if (params.type !== 'id' && params.type !== 'boolean') throw invalidParams({ type: 'expected id or boolean' });
        store.setState(id, withConfigOption(before, params.configId, params.value));
        return { configOptions: options(id) };
      }),
  };
}
