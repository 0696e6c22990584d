import {
  type ConnectionId,
  type EventSeq,
  encodeError,
  encodeRequest,
  type JsonObject,
  type JsonRpcId,
  ReeveError,
  type SessionId,
} from '@reeve/protocol';
import { crashError } from '../agents/agent-launch.ts';
import { ClientCommands } from './client-commands.ts';
import type { ClientPort } from './client-port.ts';
import { setupAfterCommand } from './follow-setup.ts';
import type { RecordKeeper } from './record-keeper.ts';
import type { SessionAgent } from './session-agent.ts';
import type { SessionStream } from './session-stream.ts';
import { tellSetup } from './tell-choices.ts';
import { choiceAnswer, translateChoice } from './translate-choice.ts';
import { withId } from './turn-answer.ts';

/** A message of a client that names a session. */
export interface Command {
  readonly port: ClientPort;
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonObject;
  readonly raw: Buffer;
}

const CHOOSING: ReadonlySet<string> = new Set(['session/set_mode', 'session/set_model', 'session/set_config_option']);

/** How a prompt of ACP v2, which is a request like others there, differs from them. */
export interface PromptSending {
  /** Whether it was taken back: then it is not sent. */
  isWithdrawn(): boolean;
  /** Waited for before the agent sees it. */
  readonly onLogged?: (seq: EventSeq) => Promise<void>;
  /** Called once when it was sent, with the answer as the client gets it. */
  onAnswered(message: Buffer, seq: EventSeq): void;
}

export interface SessionCommandsOptions {
  readonly sessionId: SessionId;
  readonly stream: SessionStream;
  readonly agent: SessionAgent;
  readonly records: RecordKeeper;
  readonly isEnding: () => boolean;
}

/** What clients send the agent of one session beside prompts: written down, forwarded, answered in the order of the log. */
export class SessionCommands {
  readonly #options: SessionCommandsOptions;
  readonly #open = new ClientCommands();

  constructor(options: SessionCommandsOptions) {
    this.#options = options;
  }

  /** Writes a message of a client that is not a prompt into the log. `raw` holds no secrets. */
  log(port: ClientPort, raw: Uint8Array): EventSeq {
    return this.#options.stream.append({ source: 'client', kind: 'command', connection: port.id, message: raw });
  }

  /** A request: forwarded, answered after everything that the agent said before its response. Rejects when it is not sent. */
  async send(command: Command, prompt?: PromptSending): Promise<void> {
    const { port, id, method, params, raw } = command;
    const { sessionId, stream, agent, records, isEnding } = this.#options;
    // What a client sends next must not overtake it.
    let link = agent.ready ?? (await agent.awake());
    if (prompt?.isWithdrawn()) throw new ReeveError('request_cancelled');
    if (prompt) {
      const seq = stream.append({ source: 'client', kind: 'prompt', connection: port.id, message: raw }, true);
      if (prompt.onLogged) {
        await prompt.onLogged(seq);
        // Meanwhile another process may have taken its place.
        link = agent.ready ?? (await agent.awake());
      }
      if (prompt.isWithdrawn()) throw new ReeveError('request_cancelled');
    } else this.log(port, raw);
    const v1 = (records.record.protocolVersion ?? 1) === 1;
    const translated = v1 ? translateChoice(records.setup, method, params) : undefined;
    const sent = translated ?? { method, params };
    const outgoing = translated ? Buffer.from(encodeRequest(id, sent.method, sent.params)) : raw;
    if (CHOOSING.has(method)) agent.choosing = port.id;
    this.#open.send(link, command, link.toAgent(outgoing, sent.params), (reply, awaited) => {
      if (CHOOSING.has(method)) agent.choosing = undefined;
      if (reply.kind === 'gone') {
        const crash = isEnding()
          ? new ReeveError(prompt ? 'request_cancelled' : 'session_closed', { data: { sessionId } })
          : crashError(records.record.agent, link.connection, reply.exit);
        const message = Buffer.from(encodeError(id, crash.toRpc()));
        prompt?.onAnswered(message, stream.lastSeq);
        return awaited ? stream.sendAfter(port, stream.lastSeq, message) : undefined;
      }
      let message = withId(reply.raw, id);
      if (reply.kind === 'result') {
        const before = records.setup;
        records.setup = setupAfterCommand(before, sent.method, sent.params, reply.result);
        message = choiceAnswer({ port, method, translated: translated !== undefined, setup: records.setup, message });
        tellSetup(stream, sessionId, before, records.setup, { connection: port.id, method });
      }
      const seq = stream.append({ source: 'agent', kind: 'response', connection: port.id, message });
      prompt?.onAnswered(message, seq);
      if (awaited) stream.sendAfter(port, seq, message);
    });
  }

  /** A notification that Reeve does not know: forwarded to a live agent. */
  notify(port: ClientPort, raw: Buffer, params: unknown): void {
    const { live } = this.#options.agent;
    if (!live) return;
    this.log(port, raw);
    live.connection.send(live.toAgent(raw, params));
  }

  /** Whether the agent has yet to answer a request of a client. */
  get waiting(): boolean {
    return this.#open.waiting;
  }

  /** The id under which the agent knows the request of a client, while it is open. */
  agentIdOf(connection: ConnectionId, id: JsonRpcId): JsonRpcId | undefined {
    return this.#open.agentIdOf(connection, id);
  }

  /** The client leaves the session: each of its requests is answered now. */
  leave(connection: ConnectionId, answer: (port: ClientPort, id: JsonRpcId) => void): void {
    this.#open.leave(connection, answer);
  }
}
