import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isTraceId, newTraceId, traceparentOf } from './trace-id.ts';
import {
  currentTrace,
  namedTrace,
  presentScope,
  scopeOfMessage,
  underCaller,
  underOwnTrace,
  underTrace,
} from './trace-scope.ts';

describe('the trace of what is done', () => {
  it('stays the same over what is waited for, and beside what is done meanwhile', async () => {
    const [one, other] = [newTraceId(), newTraceId()];
    const seen = await Promise.all(
      [one, other].map((trace) =>
        underTrace(trace, async () => {
          const before = currentTrace();
          await wait(1);
          return [before, currentTrace()];
        }),
      ),
    );
    expect(seen).toEqual([
      [one, one],
      [other, other],
    ]);
    expect(currentTrace()).toBeUndefined();
  });

  it('is that of the caller where it is well-formed, else a new one that nobody named', () => {
    const trace = newTraceId();
    expect(underCaller(traceparentOf(trace), () => [currentTrace(), namedTrace()])).toEqual([trace, trace]);
    const [made, named] = underCaller('00-planted', () => [currentTrace(), namedTrace()]);
    expect(isTraceId(made ?? '')).toBe(true);
    expect(named).toBeUndefined();
    // Nothing of what was done for another caller is of this one.
    expect(underTrace(trace, () => underCaller(undefined, currentTrace))).not.toBe(trace);
    expect(underTrace(trace, () => underOwnTrace(currentTrace))).not.toBe(trace);
  });

  it('of a message is that which it names, else of what brought it, also when it is dealt with later', () => {
    const [outer, inner] = [newTraceId(), newTraceId()];
    const enter = underCaller(traceparentOf(outer), () => ({
      named: scopeOfMessage(traceparentOf(inner)),
      plain: scopeOfMessage(undefined),
      now: presentScope(),
    }));
    expect(enter.named(currentTrace)).toBe(inner);
    expect([enter.plain(currentTrace), enter.plain(namedTrace)]).toEqual([outer, outer]);
    expect(enter.now(currentTrace)).toBe(outer);
    const alone = presentScope();
    expect(alone(currentTrace)).toBe(alone(currentTrace));
  });
});
