import { EXIT } from './exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** `SIGPIPE` stands for a reader of stdout that went away. */
type Signal = (typeof SIGNALS)[number] | 'SIGPIPE';

export interface Interrupts {
  readonly signal: AbortSignal;
  /** As if the signal had come; no second one by itself. */
  begin(signal: Signal): void;
}

/**
 * Turns signals into an abort: the first one asks for a decent end, a second one ends the process at once.
 *
 * Under an older Node this process is the child of bin/reeve.js, which tells its own signals over the channel. Ctrl-C at a
 * terminal arrives both ways, so the two ways are counted apart. A closed channel means that the parent was killed.
 */
export function listenForInterrupts(): Interrupts {
  const stop = new AbortController();
  let direct = 0;
  let told = 0;
  const begin = (signal: Signal): void => {
    if (!stop.signal.aborted) stop.abort(new Interrupted(signal));
  };
  const react = (signal: Signal): void => {
    if (Math.max(direct, told) > 1) process.exit(EXIT.interrupted);
    begin(signal);
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      direct += 1;
      react(signal);
    });
  }
  process.on('message', (message: unknown) => {
    const signal = (message as { signal?: unknown } | null)?.signal;
    const known = SIGNALS.find((name) => name === signal);
    if (!known) return;
    told += 1;
    react(known);
  });
  process.on('disconnect', () => {
    told += 1;
    react('SIGHUP');
  });
  process.channel?.unref();
  return { signal: stop.signal, begin };
}

/** Why everything ends: the reason of the abort. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: Signal;

  constructor(signal: Signal) {
    super(`ended by ${signal}`);
    this.signal = signal;
  }
}
