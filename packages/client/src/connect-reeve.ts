import type {
  AgentCheck,
  AgentDetails,
  AgentInfo,
  AgentVersions,
  AlarmPage,
  BegunTurn,
  ChangedMetadata,
  CreatedSession,
  EventPage,
  Health,
  NewSession,
  NewTurn,
  RequestAnswer,
  RequestInfo,
  SandboxReport,
  SessionInfo,
  SessionPage,
  TurnOutcome,
  WireEvent,
} from '@reeve/protocol';
import { type AcpClient, openAcpClient } from './acp-client.ts';
import type { AcpOptions } from './acp-options.ts';
import { type AuditCalls, auditCalls } from './audit-calls.ts';
import {
  type AlarmQuery,
  type BoundaryCalls,
  boundaryCalls,
  type GrantCalls,
  grantCalls,
  listAlarms,
  type WorkspaceCalls,
  workspaceCalls,
} from './boundary-calls.ts';
import { CallError } from './call-error.ts';
import { type FollowOptions, followEvents } from './follow-events.ts';
import { httpCaller, unreachable } from './http-caller.ts';
import { type InstalledAgent, type InstallOptions, installAgent } from './install-agent.ts';
import { type PolicyCalls, policyCalls, type ServerCalls, serverCalls } from './server-calls.ts';

export interface ReeveOptions {
  /** As the server printed it: `http://127.0.0.1:7433`. A path in it is kept. */
  readonly url: string | URL;
  readonly token?: string | undefined;
  /** Which agent an ACP connection is bound to; the server's default unless told. */
  readonly agent?: string | undefined;
  readonly fetch?: typeof fetch;
  readonly WebSocket?: typeof WebSocket;
}

export interface Reeve {
  readonly url: URL;
  health(signal?: AbortSignal): Promise<Health>;
  /** What the machine of the server can hold a boundary with. */
  sandbox(): Promise<SandboxReport>;
  readonly agents: {
    list(): Promise<readonly AgentInfo[]>;
    /** With what is known without starting it. */
    show(name: string): Promise<AgentDetails>;
    /** Starts the agent, initializes it and ends it. */
    check(name: string): Promise<AgentCheck>;
    /** The configured version, those installed, and those of the npm registry. */
    versions(name: string): Promise<AgentVersions>;
    /** Installs a version, range or tag of the npm registry; `latest` unless told. An abort leaves the server at it. */
    install(name: string, options?: InstallOptions): Promise<InstalledAgent>;
  };
  readonly sessions: {
    /** One page, newest first. */
    list(query?: { readonly cwd?: string; readonly cursor?: string; readonly limit?: number }): Promise<SessionPage>;
    /** Starts the agent; `result` is what `session/new` gave. */
    create(session: NewSession): Promise<CreatedSession>;
    /** Settles with the turn, which goes on if the signal aborts. */
    prompt(id: string, turn: NewTurn, signal?: AbortSignal): Promise<TurnOutcome>;
    /** Settles when the turn was begun or queued; the events after the seq are its own and those of turns before it. */
    beginPrompt(id: string, turn: NewTurn): Promise<BegunTurn>;
    /** Cancels the running turn and those that wait. */
    cancel(id: string): Promise<void>;
    /** Ends turn and process now; the session stays. */
    terminate(id: string): Promise<void>;
    /** Merges (RFC 7396), gives all of it. */
    setMetadata(id: string, patch: Readonly<Record<string, unknown>>): Promise<ChangedMetadata>;
    /** By id or alias. */
    show(id: string): Promise<SessionInfo>;
    /** One page of the log. */
    events(id: string, query?: { readonly after?: number; readonly limit?: number }): Promise<EventPage>;
    /** Frees the agent process, keeps the log. */
    close(id: string): Promise<void>;
    /** Removes session and log; an unknown id is no error. */
    remove(id: string): Promise<void>;
  };
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<WireEvent>;
  readonly requests: {
    list(query?: { readonly session?: string; readonly state?: 'pending' | 'all' }): Promise<readonly RequestInfo[]>;
    show(id: string): Promise<RequestInfo>;
    /** The request as it is then. Rejects with `already_resolved` or `not_offered`. */
    answer(id: string, answer: RequestAnswer): Promise<RequestInfo>;
  };
  readonly audit: AuditCalls;
  /** What sessions may reach. */
  readonly boundaries: BoundaryCalls;
  /** What people decided about roots. */
  readonly grants: GrantCalls;
  readonly servers: ServerCalls;
  readonly policies: PolicyCalls;
  readonly workspaces: WorkspaceCalls;
  /** One page, newest first. */
  alarms(query?: AlarmQuery): Promise<AlarmPage>;
  /** Address of the ACP WebSocket, token included: it is a secret. */
  acpUrl(agent?: string): URL;
  openAcp(options?: AcpOptions & { readonly agent?: string }): Promise<AcpClient>;
}

/** A server, for whoever has its address and token. Opens nothing yet. */
export function connectReeve(options: ReeveOptions): Reeve {
  const base = new URL(options.url);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const { token } = options;
  const http = httpCaller({ base, token, fetch: options.fetch ?? globalThis.fetch.bind(globalThis) });
  const agent = (name: string): string => `/v1/agents/${encodeURIComponent(name)}`;
  const session = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`;
  const request = (id: string): string => `/v1/requests/${encodeURIComponent(id)}`;

  const acpUrl = (agent = options.agent): URL => {
    const url = new URL('acp', base);
    url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
    if (agent !== undefined) url.searchParams.set('agent', agent);
    if (token !== undefined) url.searchParams.set('access_token', token);
    return url;
  };

  return {
    url: base,
    health: async (signal) => (await http.call('GET', '/v1/health', { signal })) as Health,
    sandbox: async () => (await http.call('GET', '/v1/sandbox')) as SandboxReport,
    agents: {
      list: async () => ((await http.call('GET', '/v1/agents')) as { readonly agents: readonly AgentInfo[] }).agents,
      show: async (name) => (await http.call('GET', agent(name))) as AgentDetails,
      check: async (name) => (await http.call('POST', `${agent(name)}/check`)) as AgentCheck,
      versions: async (name) => (await http.call('GET', `${agent(name)}/versions`)) as AgentVersions,
      install: (name, install) => installAgent(http, `${agent(name)}/install`, install),
    },
    sessions: {
      list: async (query = {}) => (await http.call('GET', '/v1/sessions', { query })) as SessionPage,
      create: async (body) => (await http.call('POST', '/v1/sessions', { body })) as CreatedSession,
      prompt: async (id, turn, signal) =>
        (await http.call('POST', `${session(id)}/prompt`, { body: turn, signal })) as TurnOutcome,
      beginPrompt: async (id, turn) =>
        (await http.call('POST', `${session(id)}/prompt`, { body: { ...turn, wait: false } })) as BegunTurn,
      cancel: async (id) => void (await http.call('POST', `${session(id)}/cancel`)),
      terminate: async (id) => void (await http.call('POST', `${session(id)}/terminate`)),
      setMetadata: async (id, body) =>
        (await http.call('PATCH', `${session(id)}/metadata`, { body })) as ChangedMetadata,
      show: async (id) => (await http.call('GET', session(id))) as SessionInfo,
      events: async (id, query = {}) => (await http.call('GET', `${session(id)}/events`, { query })) as EventPage,
      close: async (id) => void (await http.call('POST', `${session(id)}/close`)),
      remove: async (id) => void (await http.call('DELETE', session(id))),
    },
    followEvents: (id, follow) => followEvents(http, id, follow),
    requests: {
      list: async (query = {}) =>
        ((await http.call('GET', '/v1/requests', { query })) as { readonly requests: readonly RequestInfo[] }).requests,
      show: async (id) => (await http.call('GET', request(id))) as RequestInfo,
      answer: async (id, body) =>
        ((await http.call('POST', `${request(id)}/answer`, { body })) as { readonly request: RequestInfo }).request,
    },
    audit: auditCalls(http),
    boundaries: boundaryCalls(http),
    grants: grantCalls(http),
    servers: serverCalls(http),
    policies: policyCalls(http),
    workspaces: workspaceCalls(http),
    alarms: (query) => listAlarms(http, query),
    acpUrl,
    openAcp: ({ agent, ...acp } = {}) =>
      openAcpClient(
        {
          url: acpUrl(agent),
          WebSocket: options.WebSocket ?? globalThis.WebSocket,
          // A browser does not say why an upgrade failed; a plain request tells a wrong token from a server that is away.
          async diagnose() {
            try {
              await http.call('GET', '/v1/agents');
            } catch (error) {
              if (error instanceof CallError) return error;
            }
            const lost = unreachable(base);
            return new CallError({
              ...lost,
              code: lost.code,
              message: `${base.origin} refused the WebSocket`,
              next: 'Check that the agent exists: "reeve agents ls".',
            });
          },
        },
        acp,
      ),
  };
}
