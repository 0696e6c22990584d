import { CallError } from './call-error.ts';

/** For a request that cannot be sent a second time. */
export function lostError(): CallError {
  return new CallError({
    code: 'connection_lost',
    message: 'the connection to the server was lost, and whether the request was carried out is not known',
    next: 'Look at the list of sessions, then try again.',
  });
}

/** For requests that were open, or are made, when the caller has closed the connection. */
export function closedError(): CallError {
  return new CallError({ code: 'connection_closed', message: 'the connection was closed', next: 'Open a new one.' });
}
