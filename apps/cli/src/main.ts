import { CallError } from '@reeve/client';
import { CommanderError } from 'commander';
import type { CommandContext } from './command-context.ts';
import { createProgram } from './create-program.ts';
import { errorWords } from './error-words.ts';
import { CliError, EXIT, type ExitName, exitNameOf } from './exit-codes.ts';
import { Interrupted, listenForInterrupts } from './interrupts.ts';
import { processTerminal, type Terminal } from './terminal.ts';

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
  const exit = await Promise.race([createProgram(context).parseAsync(argv, { from: 'user' }), interrupted]).then(
    (): ExitName => 'done',
    (error: unknown) => report(error, terminal),
  );
  await flushed(process.stdout);
  await flushed(process.stderr);
  process.exit(EXIT[exit]);
}

function report(error: unknown, terminal: Terminal): ExitName {
  if (error instanceof Interrupted) return 'interrupted';
  const exit = exitNameOf(error);
  // Commander has printed its own message.
  if (error instanceof CommanderError) return exit;
  const [first, ...more] = messageOf(error).split('\n');
  terminal.note(`reeve: ${first}`);
  for (const line of more) terminal.note(line);
  const told = error instanceof CallError ? errorWords(error) : undefined;
  if (told?.data !== undefined) terminal.note(`  data: ${told.data}`);
  const next = told ? told.next : error instanceof CliError ? error.next : nextOf(error);
  if (next) terminal.note(`  next: ${next}`);
  return exit;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = error instanceof CliError || error instanceof CallError || 'code' in error;
  return known ? error.message : (error.stack ?? error.message);
}

function nextOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'Stop what listens there, or choose another port (--port 0 takes any free one).';
  if (code === 'policies_invalid')
    return 'Mend them, or "policy.files" of the configuration; "reeve config check" checks both.';
  if (code === 'EACCES') return 'Check that this user may read and write there.';
  return undefined;
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}
