import type { PathCheckInfo } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { type Advised, adviseOnPath } from './path-advice.ts';

const OUTSIDE: Advised['found'] = {
  path: '/data/a',
  canonical: '/data/a',
  agent: 'none',
  needed: '/data',
  servers: [],
};
const ROOT = { path: '/work', access: 'rw' } as const;
const INSIDE: Advised['found'] = {
  path: '/projects/a',
  canonical: '/projects/a',
  agent: 'rw',
  root: ROOT,
  servers: [],
};

const advise = (found: Advised['found'], needed?: Advised['needed']) => adviseOnPath({ found, session: 's', needed });
const withServers = (...servers: PathCheckInfo['servers']) => advise({ ...INSIDE, servers });

describe('the advice on a path', () => {
  it('is a command where the directory around it is an ordinary one', () => {
    const needed = { risks: ['outside_project'], highRisk: false };
    expect(advise(OUTSIDE, needed).next).toBe('Give it to the session: reeve roots approve /data:ro --session s.');
  });

  it('is no command where that directory is of high risk: it says which, and that an administrator is needed', () => {
    const etc = { ...OUTSIDE, path: '/etc/passwd', canonical: '/etc/passwd', needed: '/etc' };
    const { reason, next } = advise(etc, { risks: ['system_directory', 'outside_project'], highRisk: true });
    expect(reason).toMatch(/\/etc would be one of high risk: system directory$/);
    expect(next).toMatch(/^Copy what is needed into a root .* an administrator\.$/);
    expect(next).not.toContain('reeve');
  });

  it('is to give the file alone where its directory is of high risk, and the file is not', () => {
    const found = { ...OUTSIDE, path: '/home/me/notes', canonical: '/home/me/notes', needed: '/home/me' };
    const needed = { risks: ['home_directory'], highRisk: true };
    const next = (file: Advised['file']) => adviseOnPath({ found, session: 's', needed, file }).next;
    expect(next({ risks: ['outside_project'], highRisk: false })).toMatch(
      /^Give that file alone: reeve roots approve \/home\/me\/notes:ro --session s\. .* an administrator\.$/,
    );
    for (const file of [
      { risks: ['credential_store'], highRisk: true },
      { risks: [], highRisk: false, why: 'There Reeve keeps its own.' },
    ]) {
      expect(next(file)).toMatch(/^Copy what is needed/);
    }
  });

  it.each([
    ['/proc/1', undefined, 'a place of the system'],
    ['/', undefined, 'the whole file system'],
    ['/keys', { risks: [], highRisk: true, why: 'It holds keys.' }, 'It holds keys.'],
  ])('is to copy where %s can be no root at all, and says why', (path, needed, why) => {
    const { reason, next } = advise({ ...OUTSIDE, needed: path }, needed);
    expect(reason).toContain(why);
    expect(next).toBe('Copy what is needed into a root of the session.');
  });

  it('is to name a lost root anew', () => {
    const { reason, next } = advise({ ...INSIDE, agent: 'none', lost: true });
    expect(reason).toContain('was moved, replaced or deleted');
    expect(next).toContain('reeve roots approve /work:rw --session s');
  });

  it('names the server that can be asked for, and none whose command line leaves it out', () => {
    const why = "The server's command line names only /other";
    const left = { server: 'left', access: 'none', state: 'denied', why } as const;
    const asked = { server: 'my files', access: 'none', state: 'undecided' } as const;
    const { reason, next } = withServers(left, asked);
    expect(reason).toContain('"left", "my files"');
    expect(next).toBe("Ask for it: reeve roots request /work --session s --server 'my files'.");
    expect(withServers(left).next).toBe(why);
    expect(withServers({ server: 'part', access: 'none', state: 'outside' }).next).toContain('command line');
  });

  it('is none where all may write', () => {
    expect(withServers({ server: 'files', access: 'rw', state: 'granted' })).toEqual({});
  });
});
