import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTerminalRecord, type TerminalFact, type TerminalRecord } from './terminal-record.ts';

const DONE = { exitCode: 0, signal: null };

describe('what is written down of a terminal', () => {
  let told: TerminalFact[];
  beforeEach(() => {
    vi.useFakeTimers();
    told = [];
  });
  afterEach(() => vi.useRealTimers());

  const record = (maxBytes: number): TerminalRecord =>
    createTerminalRecord({ terminalId: 't', maxBytes, tell: (fact) => told.push(fact) });
  const outputs = (): string[] => told.flatMap((fact) => (fact.kind === 'output' ? [fact.output] : []));
  const omitted = (): number =>
    told.reduce((sum, fact) => sum + (fact.kind === 'output' ? (fact.omittedBytes ?? 0) : 0), 0);

  it('is what came within a tenth of a second at once, whole characters only, and how it ended', () => {
    const one = record(1024);
    const [head, rest] = [Buffer.from('one €').subarray(0, 5), Buffer.from('one €').subarray(5)];
    one.push(head);
    one.push(Buffer.alloc(0));
    vi.advanceTimersByTime(99);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual([{ kind: 'output', terminalId: 't', output: 'one ' }]);
    one.push(rest);
    one.end({ exitCode: 3, signal: null });
    one.end(DONE);
    one.push(Buffer.from('late'));
    vi.runAllTimers();
    expect(told.slice(1)).toEqual([
      { kind: 'output', terminalId: 't', output: '€' },
      { kind: 'exited', terminalId: 't', exitCode: 3, signal: null },
    ]);
  });

  it('does not wait for the tenth of a second where much was written', () => {
    const one = record(1024 * 1024);
    one.push(Buffer.alloc(64 * 1024, 'x'));
    expect(outputs()).toEqual(['x'.repeat(64 * 1024)]);
    one.end(DONE);
  });

  it('is all of it up to the limit, and beyond it the beginning, the end, and how much is missing between', () => {
    const exact = record(16);
    exact.push(Buffer.from('0123456789abcdef'));
    exact.end(DONE);
    expect([outputs().join(''), omitted()]).toEqual(['0123456789abcdef', 0]);
    told = [];
    const over = record(16);
    over.push(Buffer.from('0123456789abcdefg'));
    over.end(DONE);
    expect(outputs()).toEqual(['0123456789ab', 'defg']);
    expect(omitted()).toBe(1);
  });

  it('is nothing but the end and the count where nothing is to be kept', () => {
    const none = record(0);
    none.push(Buffer.from('secret'));
    vi.runAllTimers();
    expect(told).toEqual([]);
    none.end(DONE);
    expect(told).toEqual([
      { kind: 'output', terminalId: 't', output: '', omittedBytes: 6 },
      { kind: 'exited', terminalId: 't', ...DONE },
    ]);
  });

  it('never has more than the limit, in however many pieces it comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 20 }),
        fc.nat(64),
        (pieces, limit) => {
          told = [];
          const one = record(limit);
          for (const piece of pieces) one.push(Buffer.from(piece));
          one.end(DONE);
          const kept = outputs().join('');
          const whole = pieces.map((piece) => Buffer.from(piece).toString()).join('');
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit);
          expect(omitted()).toBe(Buffer.byteLength(whole) - Buffer.byteLength(kept));
          if (omitted() === 0) expect(kept).toBe(whole);
        },
      ),
    );
  });
});
