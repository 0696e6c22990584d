import { isObject, type JsonObject, ourMeta, withOurMeta } from '@reeve/protocol';
import { AcpConnection, type AcpEndpoint } from './acp-connection.ts';
import type { AcpOptions } from './acp-options.ts';
import type { AttachedSession, Role } from './attached-sessions.ts';

/** `mcpServers` is `[]` unless told; `_meta` and unknown members are sent as they are. */
export interface NewSessionParams extends JsonObject {
  /** Absolute. */
  readonly cwd: string;
  readonly mcpServers?: readonly unknown[];
  readonly additionalDirectories?: readonly string[];
}

export interface AttachParams extends NewSessionParams {
  readonly sessionId: string;
}

export interface AttachOptions {
  /** Seq after which updates are given. Loading without it gives all, resuming without it only new ones. */
  readonly after?: number;
  readonly role?: Role;
}

export interface PromptOptions {
  /** The same key never runs twice; a fresh one unless told. */
  readonly idempotencyKey?: string;
  /** Sends `session/cancel`; the prompt then resolves as the agent ends it. */
  readonly signal?: AbortSignal;
}

export interface PromptResult extends JsonObject {
  readonly stopReason: string;
}

/** ACP towards one agent. Results are what came: members that nobody knows yet are in them too. */
export interface AcpClient extends AsyncDisposable {
  /** The result of `initialize`. */
  readonly initialized: JsonObject;
  newSession(params: NewSessionParams): Promise<JsonObject & { readonly sessionId: string }>;
  /** Resolves after the whole replay. */
  loadSession(params: AttachParams, options?: AttachOptions): Promise<JsonObject>;
  resumeSession(params: AttachParams, options?: AttachOptions): Promise<JsonObject>;
  /** `prompt` as text is one text block. */
  prompt(sessionId: string, prompt: string | readonly JsonObject[], options?: PromptOptions): Promise<PromptResult>;
  cancel(sessionId: string): void;
  closeSession(sessionId: string): Promise<void>;
  deleteSession(sessionId: string): Promise<void>;
  listSessions(params?: JsonObject): Promise<JsonObject>;
  setMode(sessionId: string, modeId: string): Promise<JsonObject>;
  setConfigOption(sessionId: string, configId: string, value: unknown): Promise<JsonObject>;
  /** Any other request. */
  request(method: string, params: JsonObject): Promise<unknown>;
  notify(method: string, params: JsonObject): void;
  /** Leaves the server; sessions and turns go on there. */
  close(): void;
}

/** Connects and initializes. */
export async function openAcpClient(endpoint: AcpEndpoint, options: AcpOptions): Promise<AcpClient> {
  const connection = new AcpConnection(endpoint, options);
  await connection.open();
  const { sessions } = connection;
  const ask = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const result = await connection.request(method, params);
    return isObject(result) ? result : {};
  };

  const attach = async (method: string, given: AttachParams, options: AttachOptions, cursor: number | undefined) => {
    const params = { mcpServers: [], ...given };
    const { sessionId, cwd, mcpServers, additionalDirectories } = params;
    const role = options.role ?? 'controller';
    const before = sessions.get(sessionId);
    const session: AttachedSession = {
      sessionId,
      cwd,
      mcpServers,
      additionalDirectories,
      role,
      attached: false,
      cursor,
    };
    sessions.put(session);
    try {
      const result = await ask(
        method,
        withOurMeta(params, { role, ...(options.after === undefined ? {} : { after: options.after }) }),
      );
      session.attached = true;
      // Without one of its own the cursor is where the session stood: what comes while the connection is lost counts from there.
      const { lastSeq } = ourMeta(result);
      if (typeof lastSeq === 'number') session.cursor ??= lastSeq;
      return result;
    } catch (error) {
      if (before) sessions.put(before);
      else sessions.remove(sessionId);
      throw error;
    }
  };

  return {
    get initialized() {
      return connection.initialized;
    },
    async newSession(given) {
      const params = { mcpServers: [], ...given };
      const result = (await ask('session/new', params)) as JsonObject & { readonly sessionId: string };
      const { cwd, mcpServers, additionalDirectories } = params;
      const { sessionId } = result;
      sessions.put({
        sessionId,
        cwd,
        mcpServers,
        additionalDirectories,
        role: 'controller',
        attached: true,
        cursor: 0,
      });
      return result;
    },
    loadSession: (params, options = {}) => attach('session/load', params, options, options.after ?? 0),
    resumeSession: (params, options = {}) => attach('session/resume', params, options, options.after),
    async prompt(sessionId, prompt, { idempotencyKey = crypto.randomUUID(), signal } = {}) {
      const blocks = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
      const answer = ask('session/prompt', withOurMeta({ sessionId, prompt: blocks }, { idempotencyKey }));
      const cancel = (): void => connection.notify('session/cancel', { sessionId });
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        return (await answer) as PromptResult;
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    cancel: (sessionId) => connection.notify('session/cancel', { sessionId }),
    async closeSession(sessionId) {
      await ask('session/close', { sessionId });
      sessions.remove(sessionId);
    },
    async deleteSession(sessionId) {
      await ask('session/delete', { sessionId });
      sessions.remove(sessionId);
    },
    listSessions: (params = {}) => ask('session/list', params),
    setMode: (sessionId, modeId) => ask('session/set_mode', { sessionId, modeId }),
    setConfigOption: (sessionId, configId, value) => ask('session/set_config_option', { sessionId, configId, value }),
    request: (method, params) => connection.request(method, params),
    notify: (method, params) => connection.notify(method, params),
    close: () => connection.close(),
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}
