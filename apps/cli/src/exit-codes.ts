import { CallError } from '@reeve/client';
import { CommanderError } from 'commander';

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

const BY_CODE: Readonly<Record<string, ExitName>> = {
  agent_timeout: 'timeout',
  authentication_required: 'authentication',
  forbidden: 'permissionDenied',
  observer_may_not: 'permissionDenied',
  session_closed: 'noSession',
  session_not_found: 'noSession',
  unreachable: 'unreachable',
  not_reeve: 'unreachable',
  connection_lost: 'unreachable',
  no_answer: 'unreachable',
  shutting_down: 'unreachable',
  unauthorized: 'authentication',
};

/** For requests about one session: an id that the server does not know is the end of the command. */
export async function orNoSession<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) throw noSession(error);
    throw error;
  }
}

export function noSession({ message }: CallError): CliError {
  return new CliError('noSession', message, 'See which there are with "reeve sessions ls".');
}

/** The exit of whatever a command threw. */
export function exitNameOf(error: unknown): ExitName {
  if (error instanceof CliError) return error.exit;
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'done' : 'usage';
  if (!(error instanceof CallError)) return isConfiguration(error) ? 'usage' : 'error';
  const named = BY_CODE[error.code];
  if (named) return named;
  if (error.code === 'not_found' && isAboutSession(error.data)) return 'noSession';
  return error.status === 401 ? 'authentication' : 'error';
}

/** Policies that the configuration names and that cannot be used. */
function isConfiguration(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'policies_invalid';
}

function isAboutSession(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'sessionId' in data;
}
