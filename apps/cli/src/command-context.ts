import type { Terminal } from './terminal.ts';

/** What every command is given. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** For commands that end decently on a signal; where nobody takes it, a signal ends the command at once. */
  takeInterrupt(): AbortSignal;
}
