import type { EventSeq, JsonObject, JsonRpcId } from '@reeve/protocol';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { newTraceId, type TraceId } from '../audit/trace-id.ts';
import { currentTrace } from '../audit/trace-scope.ts';
import type { ClientPort } from './client-port.ts';

/** A `session/prompt` of a client, as it came. */
export interface Prompt {
  readonly port: ClientPort;
  readonly id: JsonRpcId;
  readonly params: JsonObject;
  readonly raw: Buffer;
}

/** A client that sent the same prompt again, by its idempotency key, and waits for the one result. */
export interface Joiner {
  readonly port: ClientPort;
  readonly id: JsonRpcId;
}

export interface Turn {
  readonly prompt: Prompt;
  /** Of the prompt, and of everything that happens in the turn. */
  readonly trace: TraceId;
  readonly key: string | undefined;
  /** When it came. */
  readonly at: number;
  /** How many prompts were before it when it came. */
  readonly place: number;
  readonly joiners: Joiner[];
  /** The id under which the agent knows it; undefined until it was sent. */
  agentRequestId: JsonRpcId | undefined;
  /** Undefined until it is in the log. */
  promptSeq: EventSeq | undefined;
  connection: AgentConnection | undefined;
  cancelled: boolean;
  /** Runs from the cancelling to the end. */
  overdue: NodeJS.Timeout | undefined;
  ended: boolean;
  /** Called once, when it has ended. */
  onEnded: (() => void) | undefined;
  /** Its client left the session and was answered: the end is for the log and the others only. */
  left: boolean;
}

/** A turn that has not begun: of the trace that its prompt came in. */
export function newTurn(prompt: Prompt, key: string | undefined, place: number): Turn {
  return {
    prompt,
    trace: currentTrace() ?? newTraceId(),
    key,
    at: Date.now(),
    place,
    joiners: [],
    agentRequestId: undefined,
    promptSeq: undefined,
    connection: undefined,
    cancelled: false,
    overdue: undefined,
    ended: false,
    onEnded: undefined,
    left: false,
  };
}
