import { describe, expect, it } from 'vitest';
import { fewAtATime, inSlices, Slice } from './in-slices.ts';

/** Longer than a slice. */
function work(): void {
  const until = performance.now() + 10;
  while (performance.now() < until);
}

describe('long work', () => {
  it('lets everybody else have their turn between slices', async () => {
    const done: string[] = [];
    const others = setInterval(() => done.push('other'), 1);
    await inSlices([1, 2, 3, 4], (item) => {
      work();
      done.push(`step ${item}`);
    });
    clearInterval(others);
    expect(done.filter((what) => what !== 'other')).toEqual(['step 1', 'step 2', 'step 3', 'step 4']);
    // What comes first after a pause depends on where the loop was: the next but one slice waits for all.
    expect(done.slice(done.indexOf('step 1'), done.indexOf('step 3'))).toContain('other');
    expect(done.slice(done.indexOf('step 2'), done.indexOf('step 4'))).toContain('other');
  });

  it('pauses for no short step', async () => {
    const slice = new Slice();
    expect(slice.isOver()).toBe(false);
    work();
    expect(slice.isOver()).toBe(true);
    await slice.next();
    expect(slice.isOver()).toBe(false);
  });

  it('ends with what a step throws', async () => {
    const done: number[] = [];
    const failing = inSlices([1, 2, 3], (item) => {
      if (item === 2) throw new Error('no');
      done.push(item);
    });
    await expect(failing).rejects.toThrow('no');
    expect(done).toEqual([1]);
  });
});

describe('steps that wait', () => {
  it('are begun so many at a time, and give their results in order', async () => {
    let running = 0;
    let most = 0;
    const results = await fewAtATime([30, 20, 10, 0, 5], 2, async (ms, index) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, ms));
      running -= 1;
      return `${index}: ${ms}`;
    });
    expect(most).toBe(2);
    expect(results).toEqual(['0: 30', '1: 20', '2: 10', '3: 0', '4: 5']);
  });
});
