import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Boundary } from './boundary.ts';
import { treeRoots } from './paths.rig.ts';
import { acpDirectories, mcpRootList, serverRoots } from './projections.ts';
import { changedAccess, isNarrower } from './root-algebra.ts';

const boundary: Boundary = {
  roots: [
    { path: '/site/app', access: 'rw', name: 'App' },
    { path: '/site/lib', access: 'rw' },
    { path: '/data', access: 'ro' },
  ],
  network: 'none',
  revision: 1,
};

describe('the roots of one server', () => {
  it('are those granted, inside the boundary, in its order and with no more access than either gives', () => {
    const grants = [
      { path: '/data', access: 'rw' },
      { path: '/site/app', access: 'ro' },
      { path: '/etc', access: 'ro' },
    ] as const;
    expect(serverRoots({ boundary, grants, now: 0 })).toEqual([
      { path: '/site/app', access: 'ro', name: 'App' },
      { path: '/data', access: 'ro' },
    ]);
  });

  it('are none without a grant, and none from the moment that it expires', () => {
    expect(serverRoots({ boundary, grants: [], now: 0 })).toEqual([]);
    const grants = [{ path: '/data', access: 'ro', expiresAt: 1000 }] as const;
    expect(serverRoots({ boundary, grants, now: 999 })).toEqual([{ path: '/data', access: 'ro' }]);
    expect(serverRoots({ boundary, grants, now: 1000 })).toEqual([]);
  });

  it('are intersected with the directories of its command line, never widened by them', () => {
    const grants = boundary.roots;
    const commandLine = [
      { path: '/site/app/src', access: 'rw' },
      { path: '/home/me', access: 'rw' },
    ] as const;
    expect(serverRoots({ boundary, grants, commandLine, now: 0 })).toEqual([{ path: '/site/app/src', access: 'rw' }]);
    expect(serverRoots({ boundary, grants, commandLine: [], now: 0 })).toEqual([]);
    fc.assert(
      fc.property(treeRoots, treeRoots, treeRoots, (roots, granted, line) => {
        const session = { ...boundary, roots };
        const shown = serverRoots({ boundary: session, grants: granted, commandLine: line, now: 0 });
        for (const limit of [roots, granted, line]) {
          expect(changedAccess(limit, shown).filter(({ from, to }) => isNarrower(from, to))).toEqual([]);
        }
      }),
    );
  });
});

describe('the answer to roots/list', () => {
  it('has a URI for each root, and the name where there is one', () => {
    const { roots, left } = mcpRootList([
      { path: '/site/my app', access: 'rw', name: 'App' },
      { path: '/data', access: 'ro' },
    ]);
    expect(roots).toEqual([{ uri: 'file:///site/my%20app', name: 'App' }, { uri: 'file:///data' }]);
    expect(left).toEqual([]);
  });

  it('leaves out, and tells, what no URI can name without doubt', () => {
    const odd = { path: '/site/a\\b', access: 'rw' } as const;
    const { roots, left } = mcpRootList([odd, { path: '/data', access: 'ro' }]);
    expect(roots).toEqual([{ uri: 'file:///data' }]);
    expect(left).toEqual([{ root: odd, refusal: expect.objectContaining({ reason: 'encoded_separator' }) }]);
  });
});

describe('the directories of an ACP session', () => {
  it('are the working directory and every other root, in order', () => {
    expect(acpDirectories(boundary, '/site/lib')).toEqual({
      kind: 'directories',
      cwd: '/site/lib',
      additionalDirectories: ['/site/app', '/data'],
    });
    expect(acpDirectories(boundary, '/site/app/src')).toMatchObject({
      additionalDirectories: ['/site/app', '/site/lib', '/data'],
    });
  });

  it('leave out what is a single file, which no session works in either', () => {
    const roots = [...boundary.roots, { path: '/site/notes.txt', access: 'ro', kind: 'file' }] as const;
    expect(acpDirectories({ roots }, '/site/lib')).toMatchObject({ additionalDirectories: ['/site/app', '/data'] });
    expect(acpDirectories({ roots }, '/site/notes.txt/below').kind).toBe('cwd_outside');
    expect(mcpRootList(roots).roots).toContainEqual({ uri: 'file:///site/notes.txt' });
  });

  it('are refused for a working directory outside', () => {
    expect(acpDirectories(boundary, '/site/app-evil')).toEqual({
      kind: 'cwd_outside',
      next: expect.stringContaining('inside a root'),
    });
  });
});
