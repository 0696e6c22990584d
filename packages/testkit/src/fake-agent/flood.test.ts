import { describe, expect, it } from 'vitest';
import { type FloodSpec, floodChunks, floodIndex, floodText } from './flood.ts';

function textsOf(spec: FloodSpec): string[] {
  const texts: string[] = [];
  for (const chunk of floodChunks('s"1', spec)) {
    for (const line of chunk.toString('utf8').trimEnd().split('\n')) {
      const { params } = JSON.parse(line) as {
        params: { sessionId: string; update: { content: { text: string } } };
      };
      expect(params.sessionId).toBe('s"1');
      texts.push(params.update.content.text);
    }
  }
  return texts;
}

describe('a flood', () => {
  const specs: FloodSpec[] = [
    { count: 1, bytes: 1 },
    { count: 7, bytes: 3, label: 'a' },
    { count: 10, bytes: 64 },
    { count: 1_000, bytes: 64, label: 'exact' },
    { count: 1_001, bytes: 64 },
    { count: 23_457, bytes: 64, label: 'many' },
    { count: 345, bytes: 4_096 },
    { count: 12, bytes: 300_000 },
  ];
  it.each(specs)('has every index once, in order, at the exact length: %j', (spec) => {
    const texts = textsOf(spec);
    expect(texts.length).toBe(spec.count);
    expect(texts.findIndex((text, index) => floodIndex(spec, text) !== index)).toBe(-1);
    expect(texts.findIndex((text) => text.length !== spec.bytes)).toBe(-1);
  });

  it('is nothing when it counts nothing', () => {
    expect(textsOf({ count: 0, bytes: 64 })).toEqual([]);
  });

  it('refuses a text too short for its index', () => {
    expect(() => floodText({ count: 1_000, bytes: 4, label: 'ab' }, 0)).toThrow('at least 6');
  });

  it('knows no index in a text that was cut or that is of another flood', () => {
    const spec = { count: 100, bytes: 16, label: 'x' };
    expect(floodIndex(spec, floodText(spec, 42).slice(0, -1))).toBeUndefined();
    expect(floodIndex(spec, floodText({ ...spec, label: 'y' }, 42))).toBeUndefined();
  });
});
