import { CallError } from '@reeve/client';
import { CommanderError } from 'commander';
import { errorWords } from './error-words.ts';
import { CliError, type ExitName } from './exit-codes.ts';
import { exitNameOf } from './exit-name-of.ts';
import { Interrupted } from './interrupts.ts';
import type { Terminal } from './terminal.ts';

/** Tells why a command failed, and what its exit code says. */
export function reportFailure(error: unknown, terminal: Terminal): ExitName {
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
