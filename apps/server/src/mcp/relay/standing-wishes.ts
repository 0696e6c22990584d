/** What agents asked of a server for longer than one answer, to be asked again of its next process. */
export class StandingWishes {
  /** Of `logging/setLevel`. */
  logLevel: string | undefined;
  readonly #resources = new Set<string>();
  readonly #max: number;

  /** @param max resources that are subscribed to again; more are, but not after a restart */
  constructor(max: number) {
    this.#max = max;
  }

  get resources(): ReadonlySet<string> {
    return this.#resources;
  }

  /** @returns whether that is news */
  subscribe(uri: string): boolean {
    if (this.#resources.size >= this.#max || this.#resources.has(uri)) return false;
    this.#resources.add(uri);
    return true;
  }

  /** @returns whether it was subscribed to */
  unsubscribe(uri: string): boolean {
    return this.#resources.delete(uri);
  }
}
