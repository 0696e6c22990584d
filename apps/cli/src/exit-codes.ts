/** What a command's exit code says; docs/cli.md has the same table. */
export const EXIT = {
  done: 0,
  error: 1,
  usage: 2,
  timeout: 3,
  noSession: 4,
  permissionDenied: 5,
  authentication: 6,
  unreachable: 7,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof EXIT;

/** A command's own failure. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exit: ExitName;
  readonly next: string | undefined;

  constructor(exit: ExitName, message: string, next?: string) {
    super(message);
    this.exit = exit;
    this.next = next;
  }
}
