import type { DiffLine } from './line-diff.ts';

/** Lines to show, or how many unchanged ones are left out between them. */
export type DiffPart =
  | { readonly kind: 'lines'; readonly lines: readonly DiffLine[] }
  | { readonly kind: 'folded'; readonly count: number };

/** Leaves out unchanged lines further than `context` from a change. */
export function foldLines(lines: readonly DiffLine[], context = 3): readonly DiffPart[] {
  const near = new Uint8Array(lines.length);
  for (const [at, { kind }] of lines.entries()) {
    if (kind !== 'same') near.fill(1, Math.max(0, at - context), Math.min(lines.length, at + context + 1));
  }
  const parts: DiffPart[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at;
    while (end < lines.length && near[end] === near[at]) end += 1;
    parts.push(near[at] ? { kind: 'lines', lines: lines.slice(at, end) } : { kind: 'folded', count: end - at });
    at = end;
  }
  return parts;
}
