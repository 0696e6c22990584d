import { describe, expect, it } from 'vitest';
import { createStderrTail } from './stderr-tail.ts';

function tailOf(limit: number, ...chunks: (string | Buffer)[]): string {
  const tail = createStderrTail(limit);
  for (const chunk of chunks) tail.push(Buffer.from(chunk as string));
  return tail.text();
}

describe('stderr tail', () => {
  it('keeps everything up to exactly its limit', () => {
    expect(tailOf(4, 'abcd')).toBe('abcd');
    expect(tailOf(4, 'ab', 'cd')).toBe('abcd');
  });

  it('keeps the last bytes beyond its limit, however they were cut into chunks', () => {
    expect(tailOf(4, 'abcde')).toBe('bcde');
    expect(tailOf(4, ...'abcdefgh')).toBe('efgh');
    expect(tailOf(0, 'abc')).toBe('');
  });

  it('leaves out a character whose beginning was dropped', () => {
    expect(tailOf(4, 'é€x')).toBe('€x'); // 2 + 3 + 1 bytes
    expect(tailOf(3, 'a€x')).toBe('x');
    expect(tailOf(3, '😀a')).toBe('a');
  });

  it('leaves out a character whose end has not come yet, and shows it once it has', () => {
    const tail = createStderrTail(16);
    const euro = Buffer.from('€');
    tail.push(Buffer.concat([Buffer.from('a'), euro.subarray(0, 2)]));
    expect(tail.text()).toBe('a');
    tail.push(euro.subarray(2));
    expect(tail.text()).toBe('a€');
  });

  it('shows bytes that are not UTF-8 as replacement characters, the first ones too', () => {
    expect(tailOf(16, Buffer.from([0x80, 0x41]))).toBe('\ufffdA');
  });

  it('keeps its limit through many small chunks', () => {
    const tail = createStderrTail(1000);
    let all = '';
    for (let index = 0; index < 5000; index += 1) {
      const word = `${index} `;
      all += word;
      tail.push(Buffer.from(word));
    }
    expect(tail.text()).toBe(all.slice(-1000));
  });
});
