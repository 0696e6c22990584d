import type {
  BegunTurn,
  ChangedMetadata,
  CreatedSession,
  EventPage,
  NewFork,
  NewSession,
  NewTurn,
  SessionInfo,
  SessionPage,
  TurnOutcome,
} from '@reeve/protocol';
import type { HttpCaller } from './http-caller.ts';

export interface SessionListQuery {
  readonly cwd?: string | undefined;
  /** Each word must begin a word of the title or of what was said; a page with `incomplete` is worth asking for again. */
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
  /** 1 to 1000. */
  readonly limit?: number;
}

/** One page: of the events after a seq, or of the last ones before a seq, in order either way. */
export interface EventPageQuery {
  readonly after?: number;
  /** Past the end: the last of all. */
  readonly before?: number;
  /** 1 to 1000. */
  readonly limit?: number;
}

export interface SessionCalls {
  /** One page, newest first. */
  list(query?: SessionListQuery, signal?: AbortSignal): Promise<SessionPage>;
  /** Starts the agent; `result` is what `session/new` gave. */
  create(session: NewSession, signal?: AbortSignal): Promise<CreatedSession>;
  /** Settles with the turn, which goes on if the signal aborts. */
  prompt(id: string, turn: NewTurn, signal?: AbortSignal): Promise<TurnOutcome>;
  /** Settles when the turn was begun or queued; the events after the seq are its own and those of turns before it. */
  beginPrompt(id: string, turn: NewTurn, signal?: AbortSignal): Promise<BegunTurn>;
  /** Cancels the running turn and those that wait. */
  cancel(id: string, signal?: AbortSignal): Promise<void>;
  /** Ends turn and process now; the session stays. */
  terminate(id: string, signal?: AbortSignal): Promise<void>;
  /** A new session that goes on from the last finished turn (ACP v1); `result` is what `session/fork` gave. */
  fork(id: string, wanted?: NewFork, signal?: AbortSignal): Promise<CreatedSession>;
  /** Merges (RFC 7396), gives all of it. */
  setMetadata(id: string, patch: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ChangedMetadata>;
  /** By id or alias. */
  show(id: string, signal?: AbortSignal): Promise<SessionInfo>;
  /** One page of the log. */
  events(id: string, query?: EventPageQuery, signal?: AbortSignal): Promise<EventPage>;
  /** Frees the agent process, keeps the log. */
  close(id: string, signal?: AbortSignal): Promise<void>;
  /** Removes session and log; an unknown id is no error. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
}

export function sessionCalls(http: HttpCaller): SessionCalls {
  const at = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`;
  return {
    show: async (id, signal) => (await http.call('GET', at(id), { signal })) as SessionInfo,
    list: async (query = {}, signal) =>
      (await http.call('GET', '/v1/sessions', { query: { ...query }, signal })) as SessionPage,
    create: async (body, signal) =>
      (await http.call('POST', '/v1/sessions', { body, signal, patience: 'work' })) as CreatedSession,
    prompt: async (id, turn, signal) =>
      (await http.call('POST', `${at(id)}/prompt`, { body: turn, signal, patience: 'open' })) as TurnOutcome,
    beginPrompt: async (id, turn, signal) =>
      (await http.call('POST', `${at(id)}/prompt`, {
        body: { ...turn, wait: false },
        signal,
        patience: 'work',
      })) as BegunTurn,
    cancel: async (id, signal) => void (await http.call('POST', `${at(id)}/cancel`, { signal, patience: 'work' })),
    terminate: async (id, signal) =>
      void (await http.call('POST', `${at(id)}/terminate`, { signal, patience: 'work' })),
    fork: async (id, body = {}, signal) =>
      (await http.call('POST', `${at(id)}/fork`, { body, signal, patience: 'work' })) as CreatedSession,
    setMetadata: async (id, body, signal) =>
      (await http.call('PATCH', `${at(id)}/metadata`, { body, signal })) as ChangedMetadata,
    events: async (id, query = {}, signal) =>
      (await http.call('GET', `${at(id)}/events`, { query: { ...query }, signal })) as EventPage,
    close: async (id, signal) => void (await http.call('POST', `${at(id)}/close`, { signal, patience: 'work' })),
    remove: async (id, signal) => void (await http.call('DELETE', at(id), { signal, patience: 'work' })),
  };
}
