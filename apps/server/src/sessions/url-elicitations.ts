import { elicitationMode, isObject } from '@reeve/protocol';

/** So many may wait to be reported as done; the oldest is forgotten. */
const KEPT = 256;

/** The elicitations of one session that showed a URL: each is reported as done once (ACP, elicitation/complete). */
export class UrlElicitations {
  /** Their ids, oldest first. */
  readonly #ids = new Set<string>();

  /** `params` of an `elicitation/create`; others are passed over. */
  shown(params: unknown): void {
    if (!isObject(params) || elicitationMode(params) !== 'url' || typeof params.elicitationId !== 'string') return;
    this.#ids.add(params.elicitationId);
    const [oldest] = this.#ids;
    if (this.#ids.size > KEPT && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** `params` of an `elicitation/complete`: whether it names one that was shown and is not done. */
  completed(params: unknown): boolean {
    const id = isObject(params) ? params.elicitationId : undefined;
    return typeof id === 'string' && this.#ids.delete(id);
  }
}
