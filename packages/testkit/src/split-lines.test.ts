import { expect, it } from 'vitest';
import { splitLines } from './split-lines.ts';

it('yields the same lines however the bytes are cut, and never splits at other separators', () => {
  const text = 'one\n\ntwo \u2028 \r still two\nüñí\n';
  const bytes = Buffer.from(`${text}torn`);
  for (let size = 1; size <= bytes.length; size++) {
    const lines: string[] = [];
    const push = splitLines((line) => lines.push(line.toString('utf8')));
    for (let at = 0; at < bytes.length; at += size) push(bytes.subarray(at, at + size));
    expect(lines).toEqual(['one', '', 'two \u2028 \r still two', 'üñí']);
  }
});
