import { describe, expect, it } from 'vitest';
import { riskyPlace } from './risky-place.ts';

describe('the warning about a directory that somebody types', () => {
  it.each([
    ['/', 'the whole machine'],
    ['/home/', 'everybody’s home directories'],
    ['/home/me/', 'a whole home directory, with its keys and passwords'],
    ['/home/me/.ssh', 'holds keys or passwords'],
    ['/home/me/.aws/sso', 'holds keys or passwords'],
    ['/etc', 'part of the system'],
    ['/projects/../etc', 'where ".." leads is seen only by the server'],
    ['work', 'a whole path is needed, from /'],
  ])('of %s says why', (path, warning) => {
    expect(riskyPlace(path)).toBe(warning);
  });

  it.each(['/home/me/project', '/work', '/home/me/.sshd-tests'])('of %s is none', (path) => {
    expect(riskyPlace(path)).toBeUndefined();
  });
});
