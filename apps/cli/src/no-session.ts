import { CallError } from '@reeve/client';
import { CliError } from './exit-codes.ts';

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
