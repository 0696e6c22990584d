import { describe, expect, it } from 'vitest';
import { readBoundary } from './boundary.ts';
import { collectIssues } from './setup-issue.ts';

function read(value: unknown) {
  const { issues, report } = collectIssues();
  return { wish: readBoundary(value, report), issues };
}

describe('the boundary that a client asks for', () => {
  it('is taken as it is where nothing is amiss, and may say as little as it likes', () => {
    const whole = {
      roots: [
        { path: '/a', access: 'rw', name: 'A' },
        { path: '/b', access: 'ro', kind: 'file' },
      ],
      network: { allow: ['a.example', '127.0.0.1:80'] },
      require: 'enforced',
    };
    expect(read(whole)).toEqual({ wish: whole, issues: [] });
    expect(read(undefined)).toEqual({ wish: undefined, issues: [] });
    expect(read({})).toEqual({ wish: {}, issues: [] });
    expect(read({ network: 'none' })).toEqual({ wish: { network: 'none' }, issues: [] });
  });

  it.each<[unknown, string]>([
    [null, ''],
    [[], ''],
    [{ more: 1 }, '.more'],
    [{ roots: [] }, '.roots'],
    [{ roots: { path: '/a' } }, '.roots'],
    [{ roots: ['/a'] }, '.roots[0].path'],
    [{ roots: [{ path: 'a', access: 'rw' }] }, '.roots[0].path'],
    [{ roots: [{ path: '', access: 'rw' }] }, '.roots[0].path'],
    [{ roots: [{ path: '/a\0', access: 'rw' }] }, '.roots[0].path'],
    [{ roots: [{ path: '/a', access: 'rwx' }] }, '.roots[0].access'],
    [{ roots: [{ path: '/a' }] }, '.roots[0].access'],
    [{ roots: [{ path: '/a', access: 'ro', kind: 'fifo' }] }, '.roots[0].kind'],
    [{ roots: [{ path: '/a', access: 'ro', name: 'a\nb' }] }, '.roots[0].name'],
    [{ roots: [{ path: '/a', access: 'ro', name: '' }] }, '.roots[0].name'],
    [{ network: 'some' }, '.network'],
    [{ network: { allow: [1] } }, '.network'],
    [{ network: { allow: [], deny: [] } }, '.network'],
    [{ require: 'maybe' }, '.require'],
  ])('is refused with the place of what is amiss, what was expected and how to mend it: %j', (value, at) => {
    const [issue] = read(value).issues;
    expect(issue?.path).toBe(`_meta["sandboxagent.dev"].boundary${at}`);
    for (const text of [issue?.expected, issue?.received, issue?.fix]) expect(text).toMatch(/\S/);
  });
});
