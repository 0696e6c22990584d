import {
  type AlarmPage,
  type ClientName,
  type Health,
  type JsonObject,
  parseClientName,
  type SandboxReport,
  type ServerChange,
  type WireEvent,
} from '@reeve/protocol';
import { type AcpClient, openAcpClient } from './acp-client.ts';
import type { AcpOptions } from './acp-options.ts';
import { type AgentCalls, agentCalls } from './agent-calls.ts';
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
import { httpStreams, type StreamCarrier, socketStreams, usualCarrier } from './event-streams.ts';
import { type FollowChangesOptions, followChanges } from './follow-changes.ts';
import { type FollowOptions, followEvents } from './follow-events.ts';
import { httpCaller } from './http-caller.ts';
import { PATIENCE } from './patience.ts';
import { type RequestCalls, requestCalls } from './request-calls.ts';
import { type PolicyCalls, policyCalls, type ServerCalls, serverCalls } from './server-calls.ts';
import { type SessionCalls, sessionCalls } from './session-calls.ts';
import { socketUrl } from './socket-url.ts';

export interface ReeveOptions {
  /** As the server printed it: `http://127.0.0.1:7433`. A path in it is kept. */
  readonly url: string | URL;
  /** A function is asked before each call: for a page whose user signs in later. */
  readonly token?: string | undefined | (() => string | undefined);
  /** The program that calls: others are told of it who answered, and so is the audit log. This SDK, unless told. */
  readonly client?: ClientName | undefined;
  /** Which agent an ACP connection is bound to; the server's default unless told. */
  readonly agent?: string | undefined;
  /**
   * How long a call may take, ms, that the server answers at once: 30 s unless told. It rejects with `no_answer` then. Infinity: for ever.
   */
  readonly answerMs?: number | undefined;
  /** The same of calls that start, end or wait for processes: 180 s unless told. */
  readonly workMs?: number | undefined;
  /**
   * What carries the streams of events: in a browser a WebSocket, since it has six HTTP connections to one server for all its tabs; elsewhere
   * HTTP. Where no WebSocket gets through it is HTTP all the same.
   */
  readonly streams?: StreamCarrier | undefined;
  readonly fetch?: typeof fetch;
  readonly WebSocket?: typeof WebSocket;
}

export interface Reeve {
  readonly url: URL;
  /** Is the server there? Needs no token, and tells more with one. */
  health(signal?: AbortSignal): Promise<Health>;
  /** What the machine of the server can hold a boundary with. */
  sandbox(signal?: AbortSignal): Promise<SandboxReport>;
  /** The server's own description of its API (OpenAPI 3.1). */
  openApi(signal?: AbortSignal): Promise<JsonObject>;
  readonly agents: AgentCalls;
  readonly sessions: SessionCalls;
  /** The events of a session: those it has, then those that come. */
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<WireEvent>;
  /** What changes on the whole server. */
  followChanges(options?: FollowChangesOptions): AsyncGenerator<ServerChange>;
  readonly requests: RequestCalls;
  readonly audit: AuditCalls;
  /** What sessions may reach. */
  readonly boundaries: BoundaryCalls;
  /** What people decided about roots. */
  readonly grants: GrantCalls;
  readonly servers: ServerCalls;
  readonly policies: PolicyCalls;
  readonly workspaces: WorkspaceCalls;
  /** One page, newest first. */
  alarms(query?: AlarmQuery, signal?: AbortSignal): Promise<AlarmPage>;
  /** Address of the ACP WebSocket, token included: it is a secret. */
  acpUrl(agent?: string): URL;
  openAcp(options?: AcpOptions & { readonly agent?: string }): Promise<AcpClient>;
}

/** Who calls where the program does not say. */
const SDK: ClientName = { name: 'reeve-sdk', version: '0.1.0' };

/** The longest that it is asked why a socket could not be opened. */
const DIAGNOSE_MS = 15_000;

/** A server, for whoever has its address and token. Opens nothing yet. Throws where `client` is no name with a version. */
export function connectReeve(options: ReeveOptions): Reeve {
  const base = new URL(options.url);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const token = (): string | undefined => (typeof options.token === 'function' ? options.token() : options.token);
  const client = options.client ?? SDK;
  if (!parseClientName(`${client.name}/${client.version}`)) {
    throw new TypeError('client: name and version are 1 to 64 of letters, digits, ".", "_" and "-" each');
  }
  const http = httpCaller({
    base,
    token,
    client,
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    limits: { answerMs: options.answerMs ?? PATIENCE.answerMs, workMs: options.workMs ?? PATIENCE.workMs },
  });

  const Socket = options.WebSocket ?? globalThis.WebSocket;
  const carrier = options.streams ?? usualCarrier();
  const streams =
    carrier === 'websocket' ? socketStreams(http, { base, token, client, WebSocket: Socket }) : httpStreams(http);

  const acpUrl = (agent = options.agent): URL => socketUrl(base, 'acp', { agent, access_token: token() });

  const openAcp: Reeve['openAcp'] = ({ agent, ...acp } = {}) =>
    openAcpClient(
      {
        address: () => ({
          url: socketUrl(base, 'acp', { agent: agent ?? options.agent }),
          token: token(),
          WebSocket: Socket,
        }),
        // A browser does not say why an upgrade failed; a plain request tells a wrong token from a server that is away.
        async diagnose() {
          try {
            await http.call('GET', '/v1/agents', { signal: AbortSignal.timeout(DIAGNOSE_MS) });
          } catch (error) {
            if (error instanceof CallError) return error;
          }
          return new CallError({
            code: 'unreachable',
            message: `${base.origin} refused the WebSocket`,
            next: 'Check that the agent exists: "reeve agents ls".',
          });
        },
      },
      { ...(options.client ? { clientInfo: options.client } : {}), ...acp },
    );

  return {
    url: base,
    health: async (signal) => (await http.call('GET', '/v1/health', { signal })) as Health,
    sandbox: async (signal) => (await http.call('GET', '/v1/sandbox', { signal })) as SandboxReport,
    openApi: async (signal) => (await http.call('GET', '/v1/openapi.json', { signal })) as JsonObject,
    agents: agentCalls(http),
    sessions: sessionCalls(http),
    followEvents: (id, follow) => followEvents(http, streams, id, follow),
    followChanges: (follow) => followChanges(streams, follow),
    requests: requestCalls(http),
    audit: auditCalls(http),
    boundaries: boundaryCalls(http),
    grants: grantCalls(http),
    servers: serverCalls(http),
    policies: policyCalls(http),
    workspaces: workspaceCalls(http),
    alarms: (query, signal) => listAlarms(http, query, signal),
    acpUrl,
    openAcp,
  };
}
