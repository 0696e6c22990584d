import { describe, expect, it } from 'vitest';
import { type ConfinedArguments, confinedArguments, containedArguments } from './bubblewrap-arguments.ts';
import { isWithin, outerFirst } from './mount.ts';

const control = { status: 3, barrier: 4 };
const plan: ConfinedArguments = {
  runtime: { directories: ['/usr'], links: [{ path: '/bin', target: 'usr/bin' }] },
  mounts: [],
  passwd: 6,
  group: 7,
  hosts: 8,
  fullNetwork: false,
  nestedSandbox: false,
  seccomp: 9,
  cwd: '/p',
};
const line = (changes: Partial<ConfinedArguments> = {}) =>
  confinedArguments({ ...plan, ...changes }, control).join(' ');

describe('the arguments of bubblewrap for a profile', () => {
  it('take away namespaces, capabilities, terminal and network', () => {
    const flags =
      '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --disable-userns --unshare-net --cap-drop ALL --new-session --die-with-parent';
    expect(line().startsWith(flags)).toBe(true);
    expect(line()).toContain('--json-status-fd 3 --block-fd 4');
    expect(line().endsWith('--remount-ro / --seccomp 9 --chdir /p')).toBe(true);
  });

  it('show the runtime read-only, synthetic users, and a /proc without writable sysctls', () => {
    expect(line()).toContain('--ro-bind /usr /usr --symlink usr/bin /bin --ro-bind-try /etc/alternatives');
    expect(line()).toContain(
      '--perms 0444 --file 6 /etc/passwd --perms 0444 --file 7 /etc/group --perms 0444 --file 8 /etc/hosts',
    );
    expect(line()).toContain('--proc /proc --ro-bind /proc/sys /proc/sys --dev /dev');
    expect(line()).toContain('--tmpfs /dev/shm --remount-ro /dev');
    expect(line()).not.toContain('/etc/resolv.conf');
  });

  it('leave the network and its resolver, where it is granted in full', () => {
    const full = line({ fullNetwork: true, hosts: undefined });
    expect(full).not.toContain('--unshare-net');
    expect(full).toContain('--ro-bind-try /etc/resolv.conf /etc/resolv.conf');
  });

  it('leave user namespaces to a nested sandbox only', () => {
    expect(line({ nestedSandbox: true })).not.toContain('--disable-userns');
  });

  it('keep the order of the mounts, and make masks read-only after all of them', () => {
    const mounts = line({
      mounts: [
        { kind: 'tmpfs', path: '/tmp', mode: '1777', bytes: 5 },
        { kind: 'tmpfs', path: '/home/a', mode: '0700' },
        { kind: 'bind', path: '/p', access: 'rw', descriptor: 10 },
        { kind: 'empty-directory', path: '/p/m' },
        { kind: 'bind', path: '/p/m/r', access: 'ro', descriptor: 11 },
        { kind: 'file', path: '/p/f', descriptor: 12, mode: '555' },
      ],
    });
    expect(mounts).toContain(
      '--perms 1777 --size 5 --tmpfs /tmp --perms 0700 --tmpfs /home/a --bind-fd 10 /p --perms 0555 --size 4096 --tmpfs /p/m --ro-bind-fd 11 /p/m/r --perms 555 --ro-bind-data 12 /p/f --remount-ro /p/m --remount-ro /',
    );
  });

  it('never name a directory of the host that is not part of the runtime', () => {
    const sources = confinedArguments(plan, control).flatMap((word, at, all) =>
      /^--(?:dev-)?(?:ro-)?bind(?:-try)?$/.test(word) ? [all[at + 1]] : [],
    );
    expect(sources.filter((source) => !/^\/(?:usr$|etc\/|proc\/sys$)/.test(source ?? ''))).toEqual([]);
  });
});

it('contain a process without a profile in a process namespace, and take nothing else away', () => {
  expect(containedArguments('/p', control).join(' ')).toBe(
    '--unshare-pid --die-with-parent --new-session --json-status-fd 3 --block-fd 4 --dev-bind / / --proc /proc --chdir /p',
  );
});

describe('mounts', () => {
  it('go from the outer to the inner, the later of two at one depth last', () => {
    const paths = ['/a/b/c', '/z', '/a/b', '/', '/a/b/c'].map((path, at) => ({ path, at }));
    expect(outerFirst(paths).map(({ path, at }) => `${path}:${at}`)).toEqual([
      '/:3',
      '/z:1',
      '/a/b:2',
      '/a/b/c:0',
      '/a/b/c:4',
    ]);
  });

  it.each([
    ['/a/b', '/a', true],
    ['/a', '/a', true],
    ['/ab', '/a', false],
    ['/a', '/a/b', false],
    ['/a', '/', true],
  ])('%s lies within %s: %s', (path, ancestor, within) => {
    expect(isWithin(path, ancestor)).toBe(within);
  });
});
