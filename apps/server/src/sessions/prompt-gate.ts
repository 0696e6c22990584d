import type { ConnectionId, JsonRpcId } from '@reeve/protocol';
import type { Prompt } from './turn.ts';

interface Waiting {
  readonly prompt: Prompt;
  cancelled: boolean;
}

/**
 * Keeps prompts in the order in which they came while one of them is looked up by its idempotency key, and lets them be cancelled
 * meanwhile.
 */
export class PromptGate {
  readonly #waiting: Waiting[] = [];
  #last: Promise<void> = Promise.resolve();

  /** Whether prompts must wait behind others here. */
  get busy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Runs `admit` behind those that came before; `cancelled` says whether the prompt was cancelled by then. Rejects as `admit` does. */
  pass(prompt: Prompt, lookUp: () => Promise<void>, admit: (cancelled: boolean) => void): Promise<void> {
    const entry: Waiting = { prompt, cancelled: false };
    this.#waiting.push(entry);
    const passed = this.#last.then(async () => {
      try {
        await lookUp();
      } finally {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
      }
      admit(entry.cancelled);
    });
    this.#last = passed.catch(() => {});
    return passed;
  }

  cancelAll(): void {
    for (const entry of this.#waiting) entry.cancelled = true;
  }

  /** True when that prompt waits here. */
  cancelOne(connection: ConnectionId, id: JsonRpcId): boolean {
    const entry = this.#waiting.find(({ prompt }) => prompt.port.id === connection && prompt.id === id);
    if (entry) entry.cancelled = true;
    return entry !== undefined;
  }
}
