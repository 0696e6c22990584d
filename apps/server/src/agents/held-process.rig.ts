import { PassThrough } from 'node:stream';
import type { HeldProcess, ProcessExit } from '@reeve/sandbox';

/** A process that is not there: the test speaks for it and reads what it is told. */
export interface PuppetProcess {
  readonly process: HeldProcess;
  /** Lines that were written to its stdin so far. */
  readonly told: readonly string[];
  /** Writes one line to its stdout. */
  say(line: string | Buffer): void;
  exit(exit: ProcessExit): void;
  readonly stops: number;
}

export function createPuppet(): PuppetProcess {
  const stdin = new PassThrough();
  const stdout = new PassThrough({ highWaterMark: 1024 * 1024 });
  const told: string[] = [];
  let rest = '';
  let stops = 0;
  stdin.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    told.push(...lines);
  });
  const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>();
  const exit = (how: ProcessExit): void => {
    stdout.end();
    resolve(how);
  };
  const stop = (): Promise<ProcessExit> => {
    stops += 1;
    exit({ code: null, signal: 'SIGTERM' });
    return exited;
  };
  return {
    process: {
      pid: 0,
      enforcement: { kind: 'declared', gaps: [] } as never,
      stdin,
      stdout,
      stderrTail: () => 'what it said last\n',
      protectedPathsMade: () => [],
      heldPlaces: [],
      exited,
      stop,
      [Symbol.asyncDispose]: async () => void (await stop()),
    },
    told,
    say: (line) => {
      stdout.write(line);
      stdout.write('\n');
    },
    exit,
    get stops() {
      return stops;
    },
  };
}
