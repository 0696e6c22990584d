import type { BoundaryNetwork } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Boundary } from './boundary.ts';
import { diffBoundary, narrow, revokeRoot, widen } from './boundary-change.ts';
import { treeRoots } from './paths.rig.ts';
import { normalRoots } from './root-algebra.ts';

const anyNetwork: fc.Arbitrary<BoundaryNetwork> = fc.oneof(
  fc.constantFrom('none' as const, 'full' as const),
  fc.record({
    allow: fc.uniqueArray(
      fc.constantFrom('a.org', 'a.org:443', 'a.org:8080', '*.a.org', 'x.a.org', 'B.org:80', '[::1]:80'),
      {
        minLength: 1,
      },
    ),
  }),
);
const anyBoundary: fc.Arbitrary<Boundary> = fc.record({
  roots: treeRoots,
  network: anyNetwork,
  revision: fc.integer({ min: 1, max: 1000 }),
});

const start: Boundary = {
  roots: [
    { path: '/site', access: 'rw' },
    { path: '/site/docs', access: 'ro' },
    { path: '/data', access: 'ro' },
  ],
  network: { allow: ['api.example.org'] },
  revision: 4,
};

describe('a boundary', () => {
  it('that is narrowed never gives, and what its diff says is exactly what was taken', () => {
    fc.assert(
      fc.property(anyBoundary, anyBoundary, (boundary, to) => {
        const after = narrow(boundary, to);
        const diff = diffBoundary(boundary, after);
        expect(diff.given).toEqual([]);
        expect(['same', 'narrower']).toContain(diff.network);
        expect(['same', 'narrower']).toContain(diff.direction);
        expect(diff.restart).toBe(diff.direction === 'same' ? 'none' : 'required');
        expect(narrow(after, to)).toEqual(after);
        const back = diffBoundary(after, boundary);
        expect(back.taken).toEqual([]);
        expect(back.given).toEqual(diff.taken.map(({ path, from, to: now }) => ({ path, from: now, to: from })));
      }),
    );
  });

  it('that is widened never takes', () => {
    fc.assert(
      fc.property(anyBoundary, anyBoundary, (boundary, by) => {
        const after = widen(boundary, by);
        const diff = diffBoundary(boundary, after);
        expect(diff.taken).toEqual([]);
        expect(['same', 'wider']).toContain(diff.direction);
        expect(diff.restart).toBe(diff.direction === 'same' ? 'none' : 'when_confined');
        expect(diffBoundary(narrow(after, by), { ...by }).direction).toBe('same');
      }),
    );
  });

  it('has a higher revision after a change, and only then', () => {
    expect(narrow(start, {})).toBe(start);
    expect(narrow(start, { roots: [{ path: '/', access: 'rw' }], network: 'full' })).toBe(start);
    expect(narrow(start, { roots: [{ path: '/site', access: 'ro' }] }).revision).toBe(5);
    expect(narrow(start, { network: 'none' }).revision).toBe(5);
    expect(widen(start, { roots: [{ path: '/site/docs', access: 'ro' }] })).toBe(start);
    expect(widen(start, { roots: [{ path: '/new', access: 'ro' }] }).revision).toBe(5);
  });

  it('loses a revoked root with all roots below it, and says what a root around it still gives', () => {
    const whole = revokeRoot(start, '/site');
    expect(whole).toMatchObject({ kind: 'revoked', still: 'none', boundary: { revision: 5 } });
    expect(whole.kind === 'revoked' && whole.boundary.roots).toEqual([{ path: '/data', access: 'ro' }]);
    expect(revokeRoot(start, '/site/docs')).toMatchObject({ kind: 'revoked', still: 'rw' });
  });

  it('says what to do instead where no root is', () => {
    expect(revokeRoot(start, '/site/src')).toEqual({
      kind: 'not_a_root',
      next: expect.stringContaining('inside a root'),
    });
    expect(revokeRoot(start, '/elsewhere')).toEqual({ kind: 'not_a_root', next: expect.stringContaining('Nothing') });
    expect(revokeRoot(start, '/wor')).toMatchObject({ kind: 'not_a_root' });
  });

  it('that only changes its order or names tells servers, and restarts nothing', () => {
    const turned = { ...start, roots: start.roots.toReversed() };
    expect(diffBoundary(start, turned)).toEqual({
      direction: 'same',
      taken: [],
      given: [],
      network: 'same',
      listChanged: true,
      restart: 'none',
    });
  });

  it('may have 10,000 roots: each operation is done in an instant', () => {
    const roots = Array.from({ length: 10_000 }, (_, at) => ({
      path: `/home/me/site/team-${at % 100}/project-${at}/src`,
      access: at % 3 === 0 ? ('ro' as const) : ('rw' as const),
    }));
    const many: Boundary = { roots, network: 'full', revision: 1 };
    const fewer: Boundary = { ...many, roots: roots.filter((_, at) => at % 2 === 0).toReversed() };
    const from = performance.now();
    expect(narrow(many, fewer).roots.length).toBe(5000);
    expect(widen(fewer, many).roots.length).toBe(10_000);
    expect(diffBoundary(many, fewer).taken.length).toBe(5000);
    expect(normalRoots(roots).length).toBe(10_000);
    // Far above what it takes (bench, "policy"), far below what comparing each with each would take.
    expect(performance.now() - from).toBeLessThan(2000);
  });
});
