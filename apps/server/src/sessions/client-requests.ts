import { type ConnectionId, encodeError, idKey, isObject, type JsonRpcId, rpcError } from '@reeve/protocol';
import type { FromAgent } from '../agents/agent-connection.ts';
import type { ClientPort, ClientReply } from './client-port.ts';
import { withId } from './turn-queue.ts';

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
}

/**
 * Requests that an agent makes of a client program, not of a person: `fs/*`, `terminal/*` and what neither of us knows. Each goes to
 * one attached client that says it can do it, and is answered once: by that client, or by an error when there is none or it leaves.
 */
export class ClientRequests {
  readonly #host: ForwardHost;
  readonly #waiting = new Map<string, Forwarded>();
  /** Which connection has a terminal, by the terminal's id. */
  readonly #terminals = new Map<unknown, ConnectionId>();

  constructor(host: ForwardHost) {
    this.#host = host;
  }

  forward(request: AgentRequest, raw: Buffer): void {
    const port = this.#portFor(request);
    if (!port) return this.#refuse(request);
    const key = idKey(request.id);
    const clientId = port.expectReply((reply) => this.#answered(request, port, reply));
    this.#waiting.set(key, { request, port, clientId });
    this.#host.deliver(port, withId(raw, clientId));
  }

  /** The agent took its request back: the client is told, under the id that it knows. */
  cancel(agentId: JsonRpcId): void {
    const forwarded = this.#waiting.get(idKey(agentId));
    if (!forwarded) return;
    const message = { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: forwarded.clientId } };
    this.#host.deliver(forwarded.port, Buffer.from(JSON.stringify(message)));
  }

  /** The agent is gone: late answers are ignored. */
  forgetAll(): void {
    for (const { port, clientId } of this.#waiting.values()) port.forgetReply(clientId);
    this.#waiting.clear();
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
  #portFor({ method, params }: AgentRequest): ClientPort | undefined {
    const able = this.#host.controllers().filter((candidate) => serves(candidate, method));
    const terminalId = method.startsWith('terminal/') && isObject(params) ? params.terminalId : undefined;
    if (terminalId === undefined) return able[0];
    const owner = this.#terminals.get(terminalId);
    if (method === 'terminal/release') this.#terminals.delete(terminalId);
    return owner === undefined ? able[0] : able.find((candidate) => candidate.id === owner);
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
      message: `no attached client serves ${request.method}`,
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
