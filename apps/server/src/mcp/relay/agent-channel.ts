/** Where messages to an agent go. */
export interface AgentChannel {
  /** A message that belongs to no request of the agent. */
  send(raw: Buffer): void;
  /** Bytes that the agent has not read yet. */
  readonly unreadBytes: number;
  close(): void;
}

/** Where what belongs to one request of the agent goes. */
export interface ReplyChannel {
  /** Progress, and requests of the server that belong to the request. */
  send(raw: Buffer): void;
  /** The answer; nothing comes after it. */
  answer(raw: Buffer): void;
}
