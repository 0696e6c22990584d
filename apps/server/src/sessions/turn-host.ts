import type { EventSeq, RpcError, SessionId } from '@reeve/protocol';
import type { AgentConnection } from '../agents/agent-connection.ts';
import type { NewEvent } from '../events/event-chunk.ts';
import type { ClientPort } from './client-port.ts';
import type { Prompt } from './turn.ts';

/** What the turns need of their session. */
export interface TurnHost {
  readonly agentName: string;
  readonly sessionId: SessionId;
  readonly maxQueued: number;
  /** How long the agent may take to end a turn that was cancelled; 0: for ever. */
  readonly cancelMs: number;
  append(event: Omit<NewEvent, 'at'>, patient?: boolean): EventSeq;
  durable(seq: EventSeq): Promise<void>;
  /** A live agent; starts or restores one. Rejects with a ReeveError. */
  agent(): Promise<AgentConnection>;
  /** Ends the process, which does not end its turn; `agent` gives another. */
  replaceAgent(): Promise<void>;
  /** The request as the agent must see it: its own session id, restored context in front. */
  forAgent(prompt: Prompt): Buffer;
  /** Remembers the key of a turn that begins: false if it was used before. Durable. */
  rememberKey(key: string, promptSeq: EventSeq): Promise<boolean>;
  /** What a client that is attached gets after `seq`. */
  sendAfter(port: ClientPort, seq: EventSeq, message: Uint8Array): void;
  /** What a client is told of an error; what was not foreseen is logged. */
  rpcErrorOf(error: unknown): RpcError;
  /** The agent has answered the prompt, whatever it said: what it asked for this turn is of no use to it any more. */
  onAnswered(): void;
  /** The agent has ended the turn itself, by a result, or, with an error, by its own end. */
  onOutcome(crash?: RpcError): void;
  /** The running turn changed to or from none, or another prompt waits. */
  onChange(): void;
}
