import { contains } from '@reeve/policy';
import type { CallEnd, CallSummary, RecordedCall, ScopeChange } from '../../boundary/server-guard.ts';
import type { CallRevocation } from '../call-revocation.ts';

/** A call that was let through and has not ended. */
export interface RunningCall {
  readonly summary: CallSummary;
  /** Names it for a question about it; see `approvalKey`. */
  key(): string | undefined;
  readonly revocation: CallRevocation;
  readonly recorded: RecordedCall;
}

/** The calls of one server that are in flight. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  #waiting: (() => void)[] = [];

  get all(): readonly RunningCall[] {
    return [...this.#calls];
  }

  add(call: RunningCall): (outcome: CallEnd) => void {
    this.#calls.add(call);
    return (outcome) => {
      if (!this.#calls.delete(call)) return;
      call.recorded.end(call.revocation.reason === undefined ? outcome : 'cancelled');
      if (this.#calls.size > 0) return;
      for (const tell of this.#waiting) tell();
      this.#waiting = [];
    };
  }

  /** Resolves when none is left, or after `ms`. */
  async drained(ms: number): Promise<void> {
    if (this.#calls.size === 0 || ms === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#waiting.push(resolve);
    await promise;
    clearTimeout(timer);
  }
}

/** Whether a change takes anything from the server. One that only gives concerns no call more than another. */
export function took({ diff, withdrawn }: ScopeChange): boolean {
  return withdrawn !== undefined || diff.restart === 'required';
}

/** Whether a call may touch what a change takes away. One that names no path may touch anything. */
export function dependsOn({ paths }: CallSummary, { diff, withdrawn }: ScopeChange): boolean {
  if (withdrawn !== undefined) return true;
  if (paths.length === 0 || diff.network === 'narrower' || diff.network === 'other') return true;
  return diff.taken.some((taken) => paths.some((path) => contains(taken.path, path) || contains(path, taken.path)));
}
