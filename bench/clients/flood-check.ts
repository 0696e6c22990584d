import { type FloodSpec, floodText } from '@reeve/testkit';

/** What became of one flood at one receiver. */
export interface FloodTally {
  readonly received: number;
  /** Updates whose index was not the one after the update before it: a gap, a repetition or a swap. */
  readonly outOfOrder: number;
  readonly lost: number;
  /** When the newest update came, on `performance.now()`. */
  readonly lastAtMs: number;
}

/**
 * Checks the updates of one flood (testkit, `flood`) as they come, without parsing them: all messages of a flood have the same
 * length and the index at the same place, so that the receiver costs next to nothing beside the server that is measured.
 */
export class FloodCheck {
  readonly #spec: FloodSpec;
  readonly #digits: number;
  readonly #labelBytes: number;
  /** Learnt from the first update. */
  #messageBytes = -1;
  #digitsAt = -1;
  #expected = 0;
  #received = 0;
  #outOfOrder = 0;
  #lastAtMs = 0;

  constructor(spec: FloodSpec) {
    this.#spec = spec;
    this.#digits = String(Math.max(0, spec.count - 1)).length;
    this.#labelBytes = spec.label === undefined ? 0 : spec.label.length + 1;
  }

  get received(): number {
    return this.#received;
  }

  get complete(): boolean {
    return this.#received >= this.#spec.count;
  }

  /** The time of what is taken from now on: read once per chunk, not once per update. */
  stamp(): void {
    this.#lastAtMs = performance.now();
  }

  /** True when the message in `bytes[start..end)` is an update of this flood; it is counted then. */
  take(bytes: Buffer, start: number, end: number): boolean {
    if (end - start !== this.#messageBytes && !this.#learn(bytes, start, end)) return false;
    let index = 0;
    const at = start + this.#digitsAt;
    for (let digit = 0; digit < this.#digits; digit++) {
      const value = (bytes[at + digit] as number) - 0x30;
      if (value < 0 || value > 9) return false;
      index = index * 10 + value;
    }
    if (index !== this.#expected) this.#outOfOrder++;
    this.#expected = index + 1;
    this.#received++;
    return true;
  }

  tally(): FloodTally {
    const { count } = this.#spec;
    // Every update that is missing leaves a gap behind it, except at the end; with a repetition, `received` alone would hide it.
    return {
      received: this.#received,
      outOfOrder: this.#outOfOrder,
      lost: Math.max(0, count - this.#received),
      lastAtMs: this.#lastAtMs,
    };
  }

  #learn(bytes: Buffer, start: number, end: number): boolean {
    if (this.#messageBytes !== -1 || end - start < this.#spec.bytes) return false;
    const text = bytes.toString('utf8', start, end);
    const quoted = /"text":\s*"([^"]*)"/.exec(text);
    if (quoted === null || !text.includes('agent_message_chunk')) return false;
    const said = quoted[1] as string;
    const index = Number(said.slice(this.#labelBytes, this.#labelBytes + this.#digits));
    if (said !== floodText(this.#spec, index)) return false;
    this.#messageBytes = end - start;
    this.#digitsAt =
      Buffer.byteLength(text.slice(0, quoted.index + quoted[0].length - 1 - said.length)) + this.#labelBytes;
    return true;
  }
}
