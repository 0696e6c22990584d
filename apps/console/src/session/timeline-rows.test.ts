import { describe, expect, it } from 'vitest';
import { pieces } from './timeline-rows.ts';

describe('a long message', () => {
  it('is cut at line ends, with nothing lost', () => {
    const text = Array.from({ length: 2000 }, (_, at) => `line ${at}`).join('\n');
    const cut = pieces(text);
    expect(cut.length).toBeGreaterThan(2);
    expect(cut.join('')).toBe(text);
    expect(cut.slice(0, -1).every((piece) => piece.endsWith('\n'))).toBe(true);
  });

  it('is cut in the middle where it has no lines', () => {
    const cut = pieces('x'.repeat(20_000));
    expect(cut.join('')).toHaveLength(20_000);
    expect(Math.max(...cut.map((piece) => piece.length))).toBeLessThanOrEqual(3000);
  });

  it('keeps code as code when a fenced block is cut', () => {
    const text = `\`\`\`ts\n${'let a = 1;\n'.repeat(1000)}\`\`\`\nafter`;
    const [first, second, ...rest] = pieces(text);
    expect(first?.endsWith('\n```')).toBe(true);
    expect(second?.startsWith('```ts\n')).toBe(true);
    expect(rest.at(-1) ?? second).toContain('after');
  });
});
