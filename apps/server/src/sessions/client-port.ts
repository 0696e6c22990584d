import type { AttachedClient, ClaimedClient, ConnectionId, JsonRpcId, SessionId } from '@reeve/protocol';
import type { ClientProfile } from '../agents/acp-version.ts';
import type { SessionSink } from './session-sink.ts';

/** What a client said it understands beyond ACP, under our key of `clientCapabilities._meta`. */
export interface ClientFeatures {
  /** Wants `_meta["sandboxagent.dev"].seq` on updates. */
  readonly seq: boolean;
  /** Wants to be told when a turn that another client began has ended. */
  readonly turnEnded: boolean;
  /** Wants to be told who answered a request that it was shown. */
  readonly requestResolved: boolean;
}

export type ClientReply =
  | { readonly kind: 'result'; readonly result: unknown; readonly raw: Buffer }
  | { readonly kind: 'error'; readonly raw: Buffer }
  /** The connection ended, or the client left the session, before it answered. */
  | { readonly kind: 'gone' };

/** What the sessions see of a connection. */
export interface ClientPort {
  readonly id: ConnectionId;
  /** Name and version as the client gave them, for people. */
  readonly label: string;
  /** What the program says of itself. */
  readonly claimed: ClaimedClient | undefined;
  readonly transport: AttachedClient['transport'];
  readonly profile: ClientProfile;
  readonly features: ClientFeatures;
  /** The connection has ended: nothing reaches the client any more. */
  readonly gone: boolean;
  /** The outlet of a session; `streamId`: its id, or its alias where the client uses that. */
  sink(streamId: SessionId): SessionSink;
  /** The client left the session: its outlet may go. */
  release(streamId: SessionId): void;
  /** A new JSON-RPC id for a request to this client; `onReply` is called once, unless the id is forgotten first. */
  expectReply(onReply: (reply: ClientReply) => void): JsonRpcId;
  /** A later reply to this id is ignored. */
  forgetReply(id: JsonRpcId): void;
  /** Ends the connection, which can no longer be served; the client comes back with a cursor. */
  drop(reason: string): void;
}

export type Role = AttachedClient['role'];
