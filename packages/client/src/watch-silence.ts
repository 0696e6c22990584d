export interface SilenceWatch extends Disposable {
  /** Something came from the other end. */
  heard(): void;
}

export interface WatchOptions {
  /** How long nothing may come, ms. */
  readonly silenceMs: number;
  /** Asks the other end for a sign of life. */
  readonly ask: () => void;
  /** Nothing came for so long, whatever was asked; called once. */
  readonly onSilent: () => void;
}

/** Questions without an answer that make a silence. */
const QUESTIONS = 2;

/**
 * Watches whether anybody is at the other end of a connection that is told nothing of its end, as after the sleep of a machine. Counts
 * questions and not the time alone: who slept, or was busy itself, still has the answers to read.
 */
export function watchSilence({ silenceMs, ask, onSilent }: WatchOptions): SilenceWatch {
  let unanswered = 0;
  const timer = setInterval(
    () => {
      if (unanswered < QUESTIONS) {
        unanswered += 1;
        return ask();
      }
      clearInterval(timer);
      onSilent();
    },
    silenceMs / (QUESTIONS + 1),
  );
  return {
    heard() {
      unanswered = 0;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
