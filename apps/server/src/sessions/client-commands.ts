import { type ConnectionId, idKey, type JsonRpcId } from '@reeve/protocol';
import type { AgentReply } from '../agents/agent-connection.ts';
import type { AgentLink } from './agent-link.ts';
import type { ClientPort } from './client-port.ts';

interface Open {
  readonly port: ClientPort;
  readonly id: JsonRpcId;
  readonly agentId: JsonRpcId;
}

/** Requests of clients that the agent has not answered yet, prompts aside. */
export class ClientCommands {
  readonly #open = new Map<string, Open>();

  /**
   * Sends a request to the agent. `onReply` is called once; `awaited` is false when the client left the session meanwhile, and was
   * told so.
   */
  send(
    link: AgentLink,
    { port, id }: { readonly port: ClientPort; readonly id: JsonRpcId },
    message: Buffer,
    onReply: (reply: AgentReply, awaited: boolean) => void,
  ): void {
    const key = commandKey(port.id, id);
    let entry: Open | undefined;
    let replied = false;
    const agentId = link.connection.request(message, (reply) => {
      replied = true;
      const awaited = entry === undefined || this.#open.get(key) === entry;
      if (awaited) this.#open.delete(key);
      onReply(reply, awaited);
    });
    if (replied) return;
    entry = { port, id, agentId };
    this.#open.set(key, entry);
  }

  /** Whether the agent has yet to answer one. */
  get waiting(): boolean {
    return this.#open.size > 0;
  }

  /** The id under which the agent knows the request of a client. */
  agentIdOf(connection: ConnectionId, id: JsonRpcId): JsonRpcId | undefined {
    return this.#open.get(commandKey(connection, id))?.agentId;
  }

  /** The client leaves the session: each of its requests is answered now. */
  leave(connection: ConnectionId, answer: (port: ClientPort, id: JsonRpcId) => void): void {
    for (const [key, { port, id }] of this.#open) {
      if (port.id !== connection) continue;
      this.#open.delete(key);
      answer(port, id);
    }
  }
}

function commandKey(connection: ConnectionId, id: JsonRpcId): string {
  return `${connection} ${idKey(id)}`;
}
