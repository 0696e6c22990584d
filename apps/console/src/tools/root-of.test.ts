import { describe, expect, it } from 'vitest';
import { rootOf } from './root-of.ts';

const projects = { path: '/projects', access: 'rw' } as const;
const docs = { path: '/projects/docs', access: 'ro' } as const;

describe('the root of a place', () => {
  it('is the innermost one', () => {
    expect(rootOf([projects, docs], '/projects/docs/a.md')).toBe(docs);
    expect(rootOf([projects, docs], '/projects/src')).toBe(projects);
    expect(rootOf([projects, docs], '/projects')).toBe(projects);
    expect(rootOf([{ path: '/', access: 'ro' }], '/etc/hosts')).toEqual({ path: '/', access: 'ro' });
  });

  it('is none for what only looks as if it were inside', () => {
    for (const path of ['/projects-old', '/projects/../etc', 'projects/a', '', '/etc'])
      expect(rootOf([projects, docs], path)).toBeUndefined();
  });
});
