import type { JsonObject, JsonRpcId } from '@reeve/protocol';
import type { AgentEntry } from '../agents/agent-registry.ts';
import type { ClientPort } from '../sessions/client-port.ts';
import type { Session } from '../sessions/session.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import type { ClientIntroduction } from './initialize.ts';

/** One request of the client; `raw` is the message as it came. */
export interface ClientRequest {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: JsonObject;
  readonly raw: Buffer;
}

/** What the connection is bound to once `initialize` was answered. */
export interface Bound {
  readonly entry: AgentEntry;
  readonly introduction: ClientIntroduction;
  readonly agentCapabilities: JsonObject;
}

/** The connection that a request came by. */
export interface Caller {
  readonly port: ClientPort;
  readonly directory: SessionDirectory;
  readonly bound: Bound;
  /** Params of the login that succeeded last. */
  readonly authenticated: JsonObject | undefined;
  send(message: string | Uint8Array): void;
  /** The session, if this connection is attached to it and may act; throws `not_found` and `observer_may_not`. */
  controlled(sessionId: unknown): Session;
}
