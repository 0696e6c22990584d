import type { BoundaryInfo } from '@reeve/client';
import { expect, it } from 'vitest';
import { boundaryLines } from './describe-roots.ts';

const root = { path: '/a', access: 'rw' } as const;
const standing = { root, state: 'granted', access: 'rw', risks: [], highRisk: false, inProject: true, policies: [] };

it('says of a root that a server has in part which part that is', () => {
  const servers = [
    { name: 'part', roots: [{ ...standing, only: ['/a/b', '/a/c'] }] },
    { name: 'whole', roots: [standing] },
  ];
  const boundary = { sessionId: 's', revision: 1, roots: [root], live: true, servers } as unknown as BoundaryInfo;
  const lines = boundaryLines(boundary);
  expect(lines.find((line) => line.startsWith('part '))).toMatch(/granted +rw +\/a \(of it only \/a\/b, \/a\/c\)$/);
  expect(lines.find((line) => line.startsWith('whole '))).toMatch(/granted +rw +\/a$/);
});

it('says of a root that is a single file that it is one, beside its access and not its path', () => {
  const roots = [
    { path: '/a/notes.txt', access: 'ro', kind: 'file' },
    { path: '/a/plain (file)', access: 'rw' },
    { path: '/gone', access: 'ro', kind: 'file' },
  ] as const;
  const servers = [{ name: 'reader', roots: [{ ...standing, root: roots[0], access: 'ro' }] }];
  const boundary = { sessionId: 's', revision: 1, roots, lost: ['/gone'], live: true, servers };
  const lines = boundaryLines(boundary as unknown as BoundaryInfo).map((line) => line.trim().replaceAll(/ +/g, ' '));
  expect(lines.slice(2, 5)).toEqual(['ro, file /a/notes.txt', 'rw /a/plain (file)', 'ro, file, lost /gone']);
  expect(lines).toContain('reader granted ro, file /a/notes.txt');
});
