import type { BoundaryRoot } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contains, indexRoots } from './containment.ts';
import { DISTINCT_NAMES, type FileNames } from './file-names.ts';
import { anyName, anyPath, treePath, treeRoots } from './paths.rig.ts';

const IGNORING: FileNames = { letterCase: 'ignored', unicodeForm: 'ignored' };

describe('a path is inside a directory', () => {
  it.each([
    ['/root', '/root', true],
    ['/root', '/root/a/b', true],
    ['/root', '/root-evil', false],
    ['/root', '/root-evil/a', false],
    ['/root', '/roo', false],
    ['/root/a', '/root', false],
    ['/', '/root', true],
    ['/', '/', true],
  ])('%s, %s: %s, by path component', (directory, path, inside) => {
    expect(contains(directory, path)).toBe(inside);
    expect(contains(directory, path, DISTINCT_NAMES)).toBe(inside);
  });

  it('as component by component comparison says, for any two paths', () => {
    fc.assert(
      fc.property(treePath, treePath, (directory, path) => {
        const [outer, inner] = [directory, path].map((one) => one.split('/').filter((name) => name !== ''));
        expect(contains(directory, path)).toBe(outer?.every((name, index) => inner?.[index] === name));
      }),
    );
  });

  it('as an index of that one root says, whatever is known of names', () => {
    const how = fc.constantFrom('distinct' as const, 'ignored' as const, 'unknown' as const);
    fc.assert(
      fc.property(anyPath, anyPath, anyName, how, how, (one, other, name, letterCase, unicodeForm) => {
        const names: FileNames = { letterCase, unicodeForm };
        for (const path of [other, one, `${one}/${name}`, `${one.toUpperCase()}/${name}`, one.normalize('NFD')]) {
          const around = indexRoots([{ path: one, access: 'ro' }], names).around(path);
          expect(contains(one, path, names)).toBe(around !== undefined);
        }
      }),
    );
  });

  it('in other letters only where the file system surely ignores case', () => {
    expect(contains('/Users/Me', '/users/me/x', IGNORING)).toBe(true);
    expect(contains('/Users/Me', '/users/me/x', DISTINCT_NAMES)).toBe(false);
    expect(contains('/Users/Me', '/users/me/x')).toBe(false);
    expect(contains('/a/straße', '/a/STRASSE/x', IGNORING)).toBe(false);
  });

  it('in another Unicode form only where the file system surely takes both for one', () => {
    expect(contains('/a/\u00e9', '/a/e\u0301/x', IGNORING)).toBe(true);
    expect(contains('/a/\u00e9', '/a/e\u0301/x', DISTINCT_NAMES)).toBe(false);
    expect(contains('/a/\u00e9', '/a/e\u0301/x')).toBe(false);
  });
});

describe('the deepest root around a path', () => {
  const roots: readonly BoundaryRoot[] = [
    { path: '/site', access: 'rw' },
    { path: '/site/docs', access: 'ro' },
    { path: '/site/docs/drafts', access: 'rw' },
    { path: '/notes.txt', access: 'rw', kind: 'file' },
  ];

  it('decides, whatever its access and wherever it stands in the list', () => {
    for (const listed of [roots, roots.toReversed()]) {
      const index = indexRoots(listed);
      expect(index.around('/site/src/a')?.path).toBe('/site');
      expect(index.around('/site/docs/a')?.access).toBe('ro');
      expect(index.around('/site/docs/drafts/a')?.access).toBe('rw');
      expect(index.around('/site/docs-evil')?.path).toBe('/site');
      expect(index.around('/siteshop')).toBeUndefined();
    }
  });

  it('is read-only when the same directory is listed with both', () => {
    const twice = [
      { path: '/a', access: 'rw' },
      { path: '/a', access: 'ro' },
    ] as const;
    expect(indexRoots(twice).around('/a/x')?.access).toBe('ro');
    expect(indexRoots(twice.toReversed()).around('/a/x')?.access).toBe('ro');
  });

  it('is a file only for that file itself', () => {
    expect(indexRoots(roots).around('/notes.txt')?.kind).toBe('file');
    expect(indexRoots(roots).around('/notes.txt/x')).toBeUndefined();
  });

  it('is none when another spelling of a nested root may be meant', () => {
    expect(indexRoots(roots).around('/site/DOCS/a')).toBeUndefined();
    expect(indexRoots(roots, DISTINCT_NAMES).around('/site/DOCS/a')?.path).toBe('/site');
    expect(indexRoots(roots, IGNORING).around('/site/DOCS/a')?.path).toBe('/site/docs');
  });

  it('is what comparing with each root says, for any roots', () => {
    fc.assert(
      fc.property(treeRoots, treePath, (listed, path) => {
        const [deepest] = listed
          .filter((root) => contains(root.path, path))
          .sort((one, other) => other.path.length - one.path.length);
        expect(indexRoots(listed).around(path)).toEqual(deepest);
      }),
    );
  });
});
