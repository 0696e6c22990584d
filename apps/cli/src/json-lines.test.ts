import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonLines } from './json-lines.ts';

function cut(text: string, cuts: readonly number[], maxBytes: number): (string | undefined)[] {
  const lines = new JsonLines(maxBytes);
  const bytes = Buffer.from(text);
  const places = [0, ...cuts.map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const found: (Buffer | undefined)[] = [];
  for (const [index, end] of places.slice(1).entries()) found.push(...lines.push(bytes.subarray(places[index], end)));
  found.push(...lines.end());
  return found.map((line) => line?.toString());
}

it('gives the same lines however the bytes arrive, and passes over blank ones', () => {
  const part = fc.constantFrom('a', 'ü', '\n', '\r\n', ' ', 'long-long-line');
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat()), (parts, cuts) => {
      const text = parts.join('');
      const expected = text.split('\n').filter((line) => line.trim() !== '');
      expect(cut(text, cuts, 1000)).toEqual(expected);
    }),
  );
});

it('tells of a line that is too long, and goes on with the next', () => {
  expect(cut('ok\n0123456789\nnext\n', [5, 9], 8)).toEqual(['ok', undefined, 'next']);
});
