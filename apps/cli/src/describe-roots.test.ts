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
