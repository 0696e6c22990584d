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

  subscribe(uri: string): void {
    if (this.#resources.size < this.#max) this.#resources.add(uri);
  }

  unsubscribe(uri: string): void {
    this.#resources.delete(uri);
  }
}
