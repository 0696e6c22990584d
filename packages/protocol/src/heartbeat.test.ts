import { describe, expect, it } from 'vitest';
import { parseHeartbeatMs } from './heartbeat.ts';

describe('the heartbeat that a server tells', () => {
  it('is a whole number of milliseconds', () => {
    expect([1, 15_000, 9_999_999_999].map((ms) => parseHeartbeatMs(String(ms)))).toEqual([1, 15_000, 9_999_999_999]);
  });

  it.each(['', '0', '-1', '1.5', '1e9', ' 15000', '15000 ', 'Infinity', '99999999999'])('is not %j', (text) => {
    expect(parseHeartbeatMs(text)).toBeUndefined();
  });
});
