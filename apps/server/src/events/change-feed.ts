import { randomBytes } from 'node:crypto';
import type { ServerChange } from '@reeve/protocol';

/** What the last changes may weigh together; a reader that was away for longer reads everything again. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** A change as it is sent: its id tells where to go on. */
export interface ToldChange {
  readonly id: string;
  readonly kind: ServerChange['kind'];
  /** JSON on one line. */
  readonly data: string;
}

/**
 * What changed on this server, for whoever looks on: the last changes are kept in memory, up to a bound. A reader that comes too
 * late for one, or from another run of the server, is told `resync` instead: nobody misses a change without a word.
 */
export class ChangeFeed {
  readonly #run = randomBytes(6).toString('hex');
  readonly #keptBytes: number;
  readonly #waiting = new Set<() => void>();
  #kept: ToldChange[] = [];
  #bytes = 0;
  /** Number of the newest change, told or skipped. */
  #last = 0;
  #readers = 0;

  constructor(keptBytes: number = KEPT_BYTES) {
    this.#keptBytes = keptBytes;
  }

  /** Somebody reads now. While nobody does, `skip` is cheaper than `publish`. */
  get watched(): boolean {
    return this.#readers > 0;
  }

  publish(change: ServerChange): void {
    this.#last += 1;
    const told = { id: this.#idOf(this.#last), kind: change.kind, data: JSON.stringify(change) };
    this.#kept.push(told);
    this.#bytes += told.data.length;
    let gone = 0;
    while (this.#bytes > this.#keptBytes && gone < this.#kept.length - 1) {
      this.#bytes -= this.#kept[gone]?.data.length ?? 0;
      gone += 1;
    }
    if (gone > 0) this.#kept = this.#kept.slice(gone);
    this.#wake();
  }

  /** Something changed and is not told: who comes back reads everything again. */
  skip(): void {
    this.#last += 1;
    if (this.#kept.length > 0) this.#kept = [];
    this.#bytes = 0;
    this.#wake();
  }

  /** Changes after the one with the id `after`, then those that come, until `signal` aborts; see `resync`. A slow reader holds nobody. */
  async *follow(after: string | undefined, signal: AbortSignal): AsyncGenerator<ToldChange, void, void> {
    this.#readers += 1;
    try {
      let cursor = this.#numberOf(after);
      while (!signal.aborted) {
        const oldest = this.#last - this.#kept.length + 1;
        if (cursor === undefined || cursor < oldest - 1) {
          cursor = this.#last;
          yield { id: this.#idOf(cursor), kind: 'resync', data: '{"kind":"resync"}' };
        } else if (cursor < this.#last) {
          const told = this.#kept[cursor + 1 - oldest] as ToldChange;
          cursor += 1;
          yield told;
        } else await this.#next(signal);
      }
    } finally {
      this.#readers -= 1;
    }
  }

  #idOf(number: number): string {
    return `${this.#run}-${number}`;
  }

  /** Undefined for an id that is not of this run. */
  #numberOf(id: string | undefined): number | undefined {
    const [run, number] = id?.split('-') ?? [];
    if (run !== this.#run || !/^\d{1,15}$/.test(number ?? '')) return undefined;
    return Number(number) > this.#last ? undefined : Number(number);
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
