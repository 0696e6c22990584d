import { createInterface, type Interface } from 'node:readline';
import type { Ask } from './ask-question.ts';

/** The lines that a person types: answers to questions first, all others to `onLine`. */
export interface LineReader extends Disposable {
  /** Asks on stderr, so that stdout stays clean. Questions wait for each other. */
  readonly ask: Ask;
  /** Reads from now on, and not only while a question is open. */
  start(): void;
}

export function createLineReader(onLine: (line: string) => void = () => {}): LineReader {
  let reader: Interface | undefined;
  let waiting: ((line: string | undefined) => void) | undefined;
  let ended = false;
  let last: Promise<unknown> = Promise.resolve();
  const start = (): void => {
    if (reader || ended) return;
    reader = createInterface({ input: process.stdin, output: process.stderr });
    reader.on('line', (line) => (waiting ? waiting(line) : onLine(line)));
    // Ctrl-C belongs to the whole command, not to the line.
    reader.on('SIGINT', () => process.emit('SIGINT'));
    reader.on('close', () => {
      ended = true;
      waiting?.(undefined);
    });
  };
  const askNow = async (question: string, signal: AbortSignal): Promise<string | undefined> => {
    if (signal.aborted || ended) return undefined;
    start();
    process.stderr.write(question);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const withdraw = (): void => resolve(undefined);
    signal.addEventListener('abort', withdraw, { once: true });
    waiting = resolve;
    const line = await promise;
    waiting = undefined;
    signal.removeEventListener('abort', withdraw);
    return line;
  };
  return {
    start,
    ask(question, signal) {
      const turn = last.then(() => askNow(question, signal));
      last = turn;
      return turn;
    },
    [Symbol.dispose]() {
      ended = true;
      reader?.close();
    },
  };
}
