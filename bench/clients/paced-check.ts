import { parsePacedText, wallClockMs } from '@reeve/testkit';

/** What became of the paced updates of one turn of many sessions. */
export interface PacedTally {
  /** From just before the agent's write to here, ms; the updates of each turn's first second are left out. */
  readonly delaysMs: readonly number[];
  /** Sessions that did not get each update once and in order. */
  readonly broken: number;
}

/** Checks the paced updates (testkit, `paced`) of many sessions as they come, and takes the time of each. */
export class PacedCheck {
  readonly #warm: number;
  #delaysMs: number[] = [];
  #sessions: { next: number; broken: boolean }[] = [];

  /** The first `warm` updates of a turn are checked, but not timed. */
  constructor(warm: number) {
    this.#warm = warm;
  }

  /** Takes the messages of one more session. */
  session(): (bytes: Buffer, start: number, end: number) => void {
    const session = { next: 0, broken: false };
    this.#sessions.push(session);
    return (bytes, start, end) => {
      const text = /"text":"([^"]*)"/.exec(bytes.toString('latin1', start, end))?.[1];
      const mark = text === undefined ? undefined : parsePacedText(text);
      if (mark === undefined) return;
      if (mark.index !== session.next) session.broken = true;
      session.next = mark.index + 1;
      if (mark.index >= this.#warm) this.#delaysMs.push(wallClockMs() - mark.sentAtMs);
    };
  }

  /** Of the turn that has ended, with `expected` updates for each session; the next one begins. */
  take(expected: number): PacedTally {
    const broken = this.#sessions.filter((session) => session.broken || session.next !== expected).length;
    const tally = { delaysMs: this.#delaysMs, broken };
    this.#delaysMs = [];
    for (const session of this.#sessions) Object.assign(session, { next: 0, broken: false });
    return tally;
  }
}
