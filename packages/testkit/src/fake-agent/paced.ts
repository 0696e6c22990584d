export interface PacedSpec {
  readonly perSecond: number;
  readonly seconds: number;
  /** Length of each text in bytes; never shorter than what index and timestamp need. */
  readonly bytes: number;
}

export interface PacedMark {
  readonly index: number;
  /** When the update was written: milliseconds since the Unix epoch, with a fraction, comparable across processes. */
  readonly sentAtMs: number;
}

/** Now, on the clock that every process of this machine shares; finer than `Date.now()`. */
export function wallClockMs(): number {
  return performance.timeOrigin + performance.now();
}

export function pacedText(spec: PacedSpec, mark: PacedMark): string {
  return `${mark.index}@${mark.sentAtMs.toFixed(3)};`.padEnd(spec.bytes, '.');
}

/** What a paced text says, or undefined when it is none. */
export function parsePacedText(text: string): PacedMark | undefined {
  const match = /^(\d+)@(\d+\.\d+);\.*$/.exec(text);
  return match === null ? undefined : { index: Number(match[1]), sentAtMs: Number(match[2]) };
}
