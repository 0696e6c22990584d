import { describe, expect, it } from 'vitest';
import { rootOf } from './root-of.ts';

const work = { path: '/work', access: 'rw' } as const;
const docs = { path: '/work/docs', access: 'ro' } as const;

describe('the root of a place', () => {
  it('is the innermost one', () => {
    expect(rootOf([work, docs], '/work/docs/a.md')).toBe(docs);
    expect(rootOf([work, docs], '/work/src')).toBe(work);
    expect(rootOf([work, docs], '/work')).toBe(work);
    expect(rootOf([{ path: '/', access: 'ro' }], '/etc/hosts')).toEqual({ path: '/', access: 'ro' });
  });

  it('is none for what only looks as if it were inside', () => {
    for (const path of ['/workshop', '/work/../etc', 'work/a', '', '/etc'])
      expect(rootOf([work, docs], path)).toBeUndefined();
  });
});
