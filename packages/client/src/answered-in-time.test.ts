import { describe, expect, it } from 'vitest';
import { answeredInTime } from './answered-in-time.ts';

/** What nobody answers, as long as nobody ends it. */
const unanswered = (signal: AbortSignal): Promise<string> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('something that a page reads', () => {
  it('is what was answered', async () => {
    expect(await answeredInTime(async () => 'here')).toBe('here');
  });

  it('is given up when no answer comes, as over a line from before the sleep of a machine', async () => {
    const asked = answeredInTime(unanswered, new AbortController().signal, 20);
    await expect(asked).rejects.toMatchObject({ code: 'connection_lost', message: 'nothing was heard for 20 ms' });
  });

  it('ends with the signal of whoever reads', async () => {
    const stop = new AbortController();
    const asked = answeredInTime(unanswered, stop.signal);
    stop.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
  });
});
