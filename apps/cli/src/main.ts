import type { CommandContext } from './command-context.ts';
import { createProgram } from './create-program.ts';
import { EXIT, type ExitName } from './exit-codes.ts';
import { listenForInterrupts } from './interrupts.ts';
import { processTerminal } from './terminal.ts';

/** Runs one command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const { signal: interrupt, begin } = listenForInterrupts();
  let taken = false;
  const terminal = processTerminal(() => {
    // `reeve sessions ls | head` is no failure.
    if (!taken) process.exit(EXIT.done);
    begin('SIGPIPE');
  });
  const context: CommandContext = {
    terminal,
    takeInterrupt() {
      taken = true;
      return interrupt;
    },
  };
  const interrupted = new Promise<never>((_, reject) => {
    interrupt.addEventListener('abort', () => {
      if (!taken) reject(interrupt.reason);
    });
  });
  const exit = await Promise.race([run(argv, context), interrupted]).then(
    (): ExitName => 'done',
    async (error: unknown) => {
      // What tells errors apart knows all that may fail, also what speaks to servers: a start is spared it.
      const { reportFailure } = await import('./report-failure.ts');
      return reportFailure(error, terminal);
    },
  );
  await flushed(process.stdout);
  await flushed(process.stderr);
  process.exit(EXIT[exit]);
}

async function run(argv: readonly string[], context: CommandContext): Promise<void> {
  const program = await createProgram(context, argv);
  await program.parseAsync(argv, { from: 'user' });
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}
