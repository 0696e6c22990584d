import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';

type Seen = { readonly line: string } | { readonly oversize: number };

function split(chunks: readonly Buffer[], maxLineBytes = 1 << 30): Seen[] {
  const seen: Seen[] = [];
  const splitter = createLineSplitter({
    maxLineBytes,
    onLine: (line) => seen.push({ line: line.toString('latin1') }),
    onOversize: (oversize) => seen.push({ oversize }),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return seen;
}

const lines = (...texts: string[]): Seen[] => texts.map((line) => ({ line }));
const chunksOf = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text, 'latin1');
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};

/** The same by the book: on the whole text, with a copy of everything. */
function expected(text: string, maxLineBytes: number): Seen[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '')
    .map((line) => (line.length > maxLineBytes ? { oversize: line.length } : { line }));
}

describe('createLineSplitter', () => {
  it('delivers lines without their ends, and skips empty ones', () => {
    expect(split([Buffer.from('a\nb\r\n\n\r\n c\r\r\nd')])).toEqual(lines('a', 'b', ' c\r', 'd'));
    expect(split([])).toEqual([]);
    expect(split([Buffer.alloc(0), Buffer.from('\n')])).toEqual([]);
  });

  it('joins a line from many chunks, with a line end that is cut', () => {
    expect(split(['{"a', '":1', '}\r', '\n', 'x'].map((part) => Buffer.from(part)))).toEqual(lines('{"a":1}', 'x'));
  });

  it('does not copy a line that lies within one chunk', () => {
    const chunk = Buffer.from('one\ntwo\n');
    const seen: Buffer[] = [];
    const splitter = createLineSplitter({ maxLineBytes: 9, onLine: (line) => seen.push(line), onOversize: () => {} });
    splitter.push(chunk);
    expect(seen.map((line) => line.buffer === chunk.buffer)).toEqual([true, true]);
  });

  it('drops a line over the limit, reports it once, and goes on behind it', () => {
    const text = `ok\n${'x'.repeat(100)}\r\n${'y'.repeat(10)}\r\n${'z'.repeat(11)}`;
    for (const size of [1, 7, 64, 1000]) {
      expect(split(chunksOf(text, size), 10)).toEqual([
        { line: 'ok' },
        { oversize: 100 },
        { line: 'y'.repeat(10) },
        { oversize: 11 },
      ]);
    }
  });

  it('tells what a dropped line begins and ends with, however the bytes are cut', () => {
    const long = `{"id":1,${'x'.repeat(2000)},"end":2}`;
    for (const size of [1, 7, 256, 300, 5000]) {
      const seen: string[][] = [];
      const splitter = createLineSplitter({
        maxLineBytes: 1000,
        onLine: () => {},
        onOversize: (_bytes, { head, tail }) => void seen.push([String(head), String(tail)]),
      });
      for (const chunk of chunksOf(`ok\n${long}\n${long}\nok`, size)) splitter.push(chunk);
      expect(seen).toEqual([1, 2].map(() => [long.slice(0, 256), long.slice(-256)]));
    }
  });

  it('does not let a later line write over one that was delivered', () => {
    const seen: Buffer[] = [];
    const splitter = createLineSplitter({
      maxLineBytes: 1 << 20,
      onLine: (line) => seen.push(line),
      onOversize: () => {},
    });
    for (let index = 0; index < 500; index += 1) {
      for (const part of ['a', 'b', `${index}`, '\n']) splitter.push(Buffer.from(part));
    }
    expect(seen.map(String)).toEqual(Array.from({ length: 500 }, (_, index) => `ab${index}`));
  });

  it('delivers the same lines however the bytes are cut', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r', '\r\n', '\n\n', 'a', '\u00ff', 'x'.repeat(5000), 'y'.repeat(70_000)),
      fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const cuts = fc.array(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 80_000 })), {
      maxLength: 200,
    });
    const limit = fc.constantFrom(0, 1, 10, 5000, 5001, 1 << 30);
    fc.assert(
      fc.property(text, cuts, limit, (whole, sizes, maxLineBytes) => {
        const bytes = Buffer.from(whole, 'latin1');
        const chunks: Buffer[] = [];
        let from = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(from, from + size));
          from = Math.min(bytes.length, from + size);
        }
        chunks.push(bytes.subarray(from));
        expect(split(chunks, maxLineBytes)).toEqual(expected(whole, maxLineBytes));
      }),
      { numRuns: 500 },
    );
  });

  it.each([65_536, 1000, 16])('takes linear time for a line of 32 MiB in chunks of %i bytes', (size) => {
    const total = 32 * 1024 * 1024;
    const chunk = Buffer.alloc(size, 0x78);
    let delivered = 0;
    const splitter = createLineSplitter({
      maxLineBytes: total,
      onLine: (line) => (delivered = line.length),
      onOversize: () => {},
    });
    const started = performance.now();
    for (let sent = 0; sent < total; sent += size) splitter.push(chunk.subarray(0, Math.min(size, total - sent)));
    splitter.push(Buffer.from('\r\n'));
    expect(delivered).toBe(total);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
