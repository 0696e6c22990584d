import { describe, expect, it } from 'vitest';
import { describeBoundary } from './describe-boundary.ts';

const roots = [
  { path: '/home/u/project', access: 'rw', name: 'project' },
  { path: '/home/u/docs\u001b[2J', access: 'ro' },
  { path: '/home/u/notes.txt', access: 'ro', kind: 'file', name: 'notes' },
];

describe('the boundary of a session as lines', () => {
  it('tells roots, network, what holds it and each gap, and no control characters', () => {
    const agent = {
      backend: 'bubblewrap',
      fs: 'enforced',
      network: 'enforced',
      limits: 'declared',
      gaps: ['limits: not bounded', 'state: it keeps things'],
      shown: { home: '/data/homes/x', readOnly: ['/opt/agent'], state: ['/home/u/.agent'] },
    };
    const lines = describeBoundary({ roots, revision: 2, network: { allow: ['a.example'] }, enforcement: { agent } });
    expect(lines.map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual([
      'boundary, revision 2',
      'root /home/u/project (read and write, "project")',
      expect.stringMatching(/^root \/home\/u\/docs.*\(read only\)$/),
      'root /home/u/notes.txt (read only, file, "notes")',
      'network only a.example',
      'held by bubblewrap',
      'files enforced',
      'network enforced',
      'limits declared',
      'home /data/homes/x',
      'state /home/u/.agent',
      'gap limits: not bounded',
      'gap state: it keeps things',
    ]);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('says that nothing holds it, where it is only declared or there is no process', () => {
    const agent = { backend: 'none', fs: 'declared', network: 'declared', limits: 'declared', gaps: [] };
    expect(describeBoundary({ roots, revision: 1, enforcement: { agent } }).join('\n')).toContain(
      'nothing: it is declared, not enforced',
    );
    expect(describeBoundary({ roots, revision: 1, enforcement: {} }).join('\n')).toContain('there is no agent process');
    expect(describeBoundary(undefined)).toEqual([]);
  });
});
