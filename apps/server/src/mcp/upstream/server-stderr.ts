/** The last of what a server wrote to stderr, over all its starts, without what it must not show. */
export class ServerStderr {
  readonly #hide: (text: string) => string;
  readonly #maxBytes: number;
  #present: () => string = () => '';
  #earlier = '';

  constructor(hide: (text: string) => string, maxBytes: number) {
    this.#hide = hide;
    this.#maxBytes = maxBytes;
  }

  /** @param tail what the one that runs now has written */
  follow(tail: () => string): void {
    this.#present = tail;
  }

  /** The one that ran has ended. */
  keep(): void {
    this.#earlier = this.text();
    this.#present = () => '';
  }

  text(): string {
    const tail = Buffer.from(this.#hide(this.#earlier + this.#present()));
    return tail.subarray(Math.max(0, tail.length - this.#maxBytes)).toString();
  }
}
