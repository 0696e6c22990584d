import { afterEach, describe, expect, it, vi } from 'vitest';
import { AlarmStorm } from './alarm-storm.ts';

afterEach(() => void vi.useRealTimers());

function storm() {
  vi.useFakeTimers();
  const told: string[] = [];
  const of = new AlarmStorm<string>({ emit: (alarm, count) => told.push(`${alarm} ${count}`), windowMs: 1000 });
  return { of, told };
}

describe('a storm of alarms', () => {
  it('is told at once, and then once in each window with the number that it stands for', () => {
    const { of, told } = storm();
    for (let at = 0; at < 1000; at++) of.raise(`${at}`);
    expect(told).toEqual(['0 1']);
    vi.advanceTimersByTime(1000);
    expect(told).toEqual(['0 1', '999 999']);
    of.raise('next');
    expect(told).toHaveLength(2);
    vi.advanceTimersByTime(1000);
    expect(told.at(-1)).toBe('next 1');
  });

  it('is over after a window without any: the next one is told at once', () => {
    const { of, told } = storm();
    of.raise('one');
    vi.advanceTimersByTime(1000);
    of.raise('two');
    expect(told).toEqual(['one 1', 'two 1']);
  });

  it('loses none when it is disposed of', () => {
    const { of, told } = storm();
    for (const alarm of ['a', 'b', 'c']) of.raise(alarm);
    of[Symbol.dispose]();
    vi.advanceTimersByTime(5000);
    expect(told).toEqual(['a 1', 'c 2']);
  });
});
