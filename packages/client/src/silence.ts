import { CallError } from './call-error.ts';

/** What a server has unless it is configured otherwise (`timeouts.heartbeatMs`); one that says nothing is taken to have it. */
const HEARTBEAT_MS = 15_000;
/** Heartbeats that may go missing before a stream counts as lost. */
const BEATS = 3;
/** A busy machine is no lost line, however often its server has a heartbeat. */
const LEAST_MS = 5_000;
/** What a timer can wait for. */
export const MOST_MS = 2 ** 31 - 1;

/** How long a stream may be silent, ms, whose server has a heartbeat every `heartbeatMs`. */
export function silenceOf(heartbeatMs = HEARTBEAT_MS): number {
  return Math.min(Math.max(heartbeatMs * BEATS, LEAST_MS), MOST_MS);
}

/** Nothing was heard over a connection for so long: nobody is at its other end. */
export function lostInSilence(silenceMs: number): CallError {
  return new CallError({
    code: 'connection_lost',
    message: `nothing was heard for ${silenceMs} ms`,
    next: 'Wait: it is tried again.',
  });
}
