import type { JsonObject } from '@reeve/protocol';
import type { CallError } from './call-error.ts';
import type { RequestHandler } from './incoming-requests.ts';

/** A notification of the server, as it came; variants that nobody knows yet are given like all others. */
export interface AcpNotification {
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId: string | undefined;
  /** Position in the session's log; undefined for what is not in it. */
  readonly seq: number | undefined;
}

export type ConnectionState =
  | { readonly kind: 'connected' }
  | { readonly kind: 'reconnecting'; readonly attempt: number }
  | { readonly kind: 'closed'; readonly error: CallError | undefined };

export interface AcpOptions {
  readonly clientCapabilities?: JsonObject;
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Called for requests of the agent. Without it permissions and questions are left to other clients. */
  readonly onRequest?: RequestHandler;
  readonly onUpdate?: (notification: AcpNotification) => void;
  /** Every message of the server as the text it was, but for repeated updates. */
  readonly onLine?: (text: string) => void;
  readonly onState?: (state: ConnectionState) => void;
  /** Closes the connection. */
  readonly signal?: AbortSignal;
  /** How long to go on trying when the connection is lost; 60 s unless told. */
  readonly giveUpMs?: number;
  /** A connection over which nothing came for so long, whatever was asked, is taken for lost; 45 s unless told. */
  readonly silenceMs?: number;
}
