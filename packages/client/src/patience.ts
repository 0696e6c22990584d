import { CallError } from './call-error.ts';

/**
 * What the server does before it answers a call: `answer` looks something up or takes it down; `work` starts, ends or waits for
 * processes, which it has limits of its own for; `open` takes as long as a turn, a log or the tests of policies take, which nobody knows.
 */
export type Patience = 'answer' | 'work' | 'open';

/** How long a call may go without its answer, ms; Infinity: for ever. */
export interface PatienceLimits {
  readonly answerMs: number;
  readonly workMs: number;
}

/** `workMs`: what a server that is not configured otherwise gives an agent to start and to open a session, and a while. */
export const PATIENCE: PatienceLimits = { answerMs: 30_000, workMs: 180_000 };

/** How long that is; undefined: for ever. */
export function patienceMs(patience: Patience, { answerMs, workMs }: PatienceLimits): number | undefined {
  const ms = patience === 'answer' ? answerMs : patience === 'work' ? workMs : Number.POSITIVE_INFINITY;
  return Number.isFinite(ms) ? ms : undefined;
}

/** Nobody knows what became of a call that was to change something. */
export function unanswered(method: string, ms: number): CallError {
  const next = 'check the connection, then try again.';
  return new CallError({
    code: 'no_answer',
    message: `the server did not answer within ${ms / 1000} s`,
    next: method === 'GET' ? `C${next.slice(1)}` : `It may have been done all the same: look first, ${next}`,
  });
}
