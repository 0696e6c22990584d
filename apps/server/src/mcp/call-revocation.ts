/** Whether a call that was let through must not go on any more. One listener; each call has one of these, and hardly any is used. */
export class CallRevocation {
  #reason: string | undefined;
  #listener: ((reason: string) => void) | undefined;

  /** What the agent is told; undefined as long as the call may go on. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Only the first reason counts. */
  revoke(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listener?.(reason);
  }

  /** Called once; at once where the call is revoked already. */
  onRevoked(listener: (reason: string) => void): void {
    this.#listener = listener;
    if (this.#reason !== undefined) listener(this.#reason);
  }
}
