import {
  type ConnectionId,
  encodeError,
  encodeResult,
  idKey,
  isObject,
  type JsonRpcId,
  rpcError,
} from '@reeve/protocol';
import type { FromAgent } from '../agents/agent-connection.ts';
import type { ClientPort, ClientReply } from './client-port.ts';
import type { LocalSession } from './local-services.ts';
import { withId } from './turn-answer.ts';

type AgentRequest = Extract<FromAgent, { kind: 'request' }>;

interface Forwarded {
  readonly request: AgentRequest;
  readonly port: ClientPort;
  readonly clientId: JsonRpcId;
}

/** What forwarding needs of its session. */
export interface ForwardHost {
  /** Clients that may be asked, the one whose turn runs first. */
  controllers(): readonly ClientPort[];
  /** Sends to a client, after everything that the agent said before. */
  deliver(port: ClientPort, message: Uint8Array): void;
  /** Answers the agent. */
  reply(message: Uint8Array, by: ClientPort | undefined): void;
  /** What Reeve serves itself; undefined where it serves nothing. */
  readonly local: LocalSession | undefined;
  /** How many requests may wait for Reeve's own answer. */
  readonly maxPendingRequests: number;
  /** The agent leaves so much of its input unread that it gets no large answers any more. */
  overfull(): boolean;
}

type Server = { readonly kind: 'client'; readonly port: ClientPort } | { readonly kind: 'reeve' };

/**
 * Requests that an agent makes of a client program, not of a person: `fs/*`, `terminal/*` and what neither of us knows. Each goes to
 * one attached client that says it can do it, else to Reeve if it serves that, and is answered once: with an error when there is
 * neither, or when the client leaves.
 */
export class ClientRequests {
  readonly #host: ForwardHost;
  readonly #waiting = new Map<string, Forwarded>();
  /** What Reeve itself is doing, by the agent's id. */
  readonly #serving = new Map<string, AbortController>();
  /** Who has a terminal, by the terminal's id: a connection, or Reeve. */
  readonly #terminals = new Map<unknown, ConnectionId | 'reeve'>();

  constructor(host: ForwardHost) {
    this.#host = host;
  }

  forward(request: AgentRequest, raw: Buffer): void {
    const server = this.#serverOf(request);
    if (!server) return this.#refuse(request);
    if (server.kind === 'reeve') return void this.#serve(request);
    const { port } = server;
    const key = idKey(request.id);
    const clientId = port.expectReply((reply) => this.#answered(request, port, reply));
    this.#waiting.set(key, { request, port, clientId });
    this.#host.deliver(port, withId(raw, clientId));
  }

  /** The agent took its request back: the client is told, under the id that it knows. */
  cancel(agentId: JsonRpcId): void {
    this.#serving.get(idKey(agentId))?.abort();
    const forwarded = this.#waiting.get(idKey(agentId));
    if (!forwarded) return;
    const message = { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: forwarded.clientId } };
    this.#host.deliver(forwarded.port, Buffer.from(JSON.stringify(message)));
  }

  /** The agent is gone: late answers are ignored. */
  forgetAll(): void {
    for (const { port, clientId } of this.#waiting.values()) port.forgetReply(clientId);
    this.#waiting.clear();
    for (const controller of this.#serving.values()) controller.abort();
  }

  /** A client left the session before it answered: the agent is told. */
  left(connection: ConnectionId): void {
    for (const { request, port, clientId } of [...this.#waiting.values()]) {
      if (port.id !== connection) continue;
      port.forgetReply(clientId);
      this.#answered(request, port, { kind: 'gone' });
    }
  }

  /** A terminal lives where it was created; everything else is for the first that serves it. */
  #serverOf({ method, params }: AgentRequest): Server | undefined {
    const able = this.#host.controllers().filter((candidate) => serves(candidate, method));
    const terminalId = method.startsWith('terminal/') && isObject(params) ? params.terminalId : undefined;
    const owner = terminalId === undefined ? undefined : this.#terminals.get(terminalId);
    if (method === 'terminal/release') this.#terminals.delete(terminalId);
    const { local } = this.#host;
    const reeve = local?.serves(method) ? ({ kind: 'reeve' } as const) : undefined;
    if (owner === 'reeve') return reeve;
    const port = owner === undefined ? able[0] : able.find((candidate) => candidate.id === owner);
    const client = port && ({ kind: 'client', port } as const);
    if (owner !== undefined) return client;
    return local?.first ? (reeve ?? client) : (client ?? reeve);
  }

  async #serve(request: AgentRequest): Promise<void> {
    const { local, maxPendingRequests } = this.#host;
    const { id, method, params } = request;
    const key = idKey(id);
    if (!local || this.#serving.has(key)) return;
    const busy =
      this.#serving.size >= maxPendingRequests
        ? 'too many requests of this session wait for an answer of Reeve (limits.maxPendingRequests)'
        : this.#host.overfull()
          ? 'the agent does not read its input (limits.agentInputBytes)'
          : undefined;
    if (busy !== undefined) {
      const error = rpcError('overloaded', { message: busy });
      return this.#host.reply(Buffer.from(encodeError(id, error)), undefined);
    }
    const controller = new AbortController();
    this.#serving.set(key, controller);
    const answer = await local.answer(method, params, controller.signal);
    this.#serving.delete(key);
    if (answer.kind === 'result' && method === 'terminal/create') {
      this.#terminals.set(answer.result.terminalId, 'reeve');
    }
    const message = answer.kind === 'result' ? encodeResult(id, answer.result) : encodeError(id, answer.error);
    this.#host.reply(Buffer.from(message), undefined);
  }

  #answered(request: AgentRequest, port: ClientPort, reply: ClientReply): void {
    if (!this.#waiting.delete(idKey(request.id))) return;
    if (reply.kind === 'result' && request.method === 'terminal/create' && isObject(reply.result)) {
      this.#terminals.set(reply.result.terminalId, port.id);
    }
    if (reply.kind !== 'gone') return this.#host.reply(withId(reply.raw, request.id), port);
    const error = rpcError('internal_error', {
      message: `the client left before it answered ${request.method}`,
      data: { details: 'attach a client that serves it and try again' },
    });
    this.#host.reply(Buffer.from(encodeError(request.id, error)), undefined);
  }

  #refuse(request: AgentRequest): void {
    const error = rpcError('method_not_found', {
      message: `neither an attached client nor Reeve serves ${request.method}`,
      data: { method: request.method },
    });
    this.#host.reply(Buffer.from(encodeError(request.id, error)), undefined);
  }
}

/** Whether a client's capabilities cover a method (ACP, client capabilities); what ACP does not know, anyone may. */
export function serves(port: ClientPort, method: string): boolean {
  const { fs, terminal } = port.profile.clientCapabilities;
  if (method === 'fs/read_text_file') return isObject(fs) && fs.readTextFile === true;
  if (method === 'fs/write_text_file') return isObject(fs) && fs.writeTextFile === true;
  if (method.startsWith('terminal/')) return terminal === true;
  return true;
}
