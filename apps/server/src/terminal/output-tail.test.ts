import { describe, expect, it } from 'vitest';
import { createOutputTail } from './output-tail.ts';

function tailOf(limit: number, ...chunks: (Buffer | string)[]) {
  const tail = createOutputTail(limit);
  for (const chunk of chunks) tail.push(Buffer.from(chunk as string));
  return tail;
}

describe('the output of a terminal', () => {
  it('is whole up to exactly its limit', () => {
    const tail = tailOf(6, 'abc', 'def');
    expect([tail.text(), tail.truncated]).toEqual(['abcdef', false]);
    tail.push(Buffer.from('g'));
    expect([tail.text(), tail.truncated]).toEqual(['bcdefg', true]);
  });

  it('is cut between two characters, though less is left than the limit', () => {
    for (const [limit, left] of [
      [8, '🎉🎉'],
      [7, '🎉'],
      [4, '🎉'],
      [3, ''],
      [0, ''],
    ] as const) {
      const tail = tailOf(limit, 'x🎉🎉');
      expect([tail.text(), tail.truncated]).toEqual([left, true]);
    }
  });

  it('keeps a character that came in two chunks, and waits for its end', () => {
    const bytes = Buffer.from('ü🎉');
    const tail = createOutputTail(100);
    for (const byte of bytes) tail.push(Buffer.from([byte]));
    expect(tail.text()).toBe('ü🎉');
    tail.push(bytes.subarray(0, 1));
    expect(tail.text()).toBe('ü🎉');
    tail.end();
    expect(tail.text()).toBe('ü🎉\uFFFD');
  });

  it('stays within its limit as text, also for bytes that are none', () => {
    const tail = tailOf(10, Buffer.alloc(1000, 0xff));
    expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(10);
    expect(tail.text()).toBe('\uFFFD'.repeat(3));
  });

  it('is the same however it was cut into chunks', () => {
    const bytes = Buffer.from('aü€🎉'.repeat(500));
    for (const size of [1, 2, 3, 7, 100, 5000]) {
      const tail = createOutputTail(101);
      for (let at = 0; at < bytes.length; at += size) tail.push(bytes.subarray(at, at + size));
      expect(tail.text()).toBe('aü€🎉'.repeat(10));
    }
  });
});
