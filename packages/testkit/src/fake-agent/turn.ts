import type { RpcError, RpcId } from './rpc-error.ts';
import type { TranscriptEntry } from './session-store.ts';
import type { StdioConnection } from './stdio-connection.ts';

export interface PromptRequest {
  readonly sessionId: string;
  readonly prompt: readonly unknown[];
}

/** One running `session/prompt`, as the steps of its script see it. */
export interface Turn {
  readonly sessionId: string;
  readonly promptId: RpcId;
  readonly connection: StdioConnection;
  /** Aborted by `session/cancel` and by `$/cancel_request` of the prompt, unless the turn refuses. */
  readonly signal: AbortSignal;
  readonly received: {
    readonly initialize: unknown;
    readonly session: unknown;
    readonly prompt: PromptRequest;
  };
  refuseCancel(): void;
  /** Unknown fields for the root of the response. */
  respondWith(fields: object): void;
  /** The steps that follow are not taken. */
  end(outcome: TurnOutcome): void;
  afterResponse(action: () => void): void;
  /** Sends the update and keeps it for replay. */
  update(update: object): Promise<void>;
  say(text: string): Promise<void>;
  keep(entry: TranscriptEntry): void;
}

export type TurnOutcome =
  | { readonly kind: 'stopped'; readonly stopReason: string }
  | { readonly kind: 'failed'; readonly error: RpcError };
