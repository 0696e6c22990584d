import { CallError } from '@reeve/client';
import { CommanderError } from 'commander';
import { CliError, type ExitName } from './exit-codes.ts';

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
