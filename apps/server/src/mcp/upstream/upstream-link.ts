import type { RpcMessage } from '@reeve/protocol';

export interface LinkListener {
  /** In the order of the wire. `raw` is one JSON text and may be kept. */
  onMessage(message: RpcMessage, raw: Buffer): void;
  /** What the server sent that is no message; for the diagnostic log, cut short. */
  onNoise(what: string): void;
}

/** One connection to an MCP server. Dispose ends it, and the process behind it. */
export interface UpstreamLink extends AsyncDisposable {
  /**
   * Sends one message. Never throws; a message to a link that has ended is dropped.
   * @param headers what HTTP says of it besides; not asked for on other links
   */
  send(raw: Buffer, headers?: () => Readonly<Record<string, string>>): void;
  /** Ends a request that was sent: `raw` is the `notifications/cancelled` for servers that take one. */
  cancel(id: number, raw: Buffer): void;
  /** The version that was agreed on; HTTP says it in a header from then on. */
  agreed(version: string): void;
  /** Bytes that the server has not read. */
  readonly unreadBytes: number;
  /** Stops and goes on reading: back-pressure. */
  pause(): void;
  resume(): void;
  /** Whether another start would end the same way, until somebody changes something. */
  readonly hopeless: boolean;
  /** Resolves with why it ended; never rejects. */
  readonly ended: Promise<string>;
}
