const MAX_REMEMBERED = 10_000;

/**
 * Sessions that were deleted here and that their agent may still list, because it cannot delete or did not. Known until the server
 * ends, and no more than the newest.
 */
export class ForgottenSessions {
  readonly #keys = new Set<string>();

  add(agent: string, agentSessionId: string): void {
    this.#keys.add(keyOf(agent, agentSessionId));
    const [oldest] = this.#keys;
    if (this.#keys.size > MAX_REMEMBERED && oldest !== undefined) this.#keys.delete(oldest);
  }

  has(agent: string, agentSessionId: string): boolean {
    return this.#keys.has(keyOf(agent, agentSessionId));
  }
}

function keyOf(agent: string, agentSessionId: string): string {
  return JSON.stringify([agent, agentSessionId]);
}
