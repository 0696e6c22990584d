import { statSync } from 'node:fs';
import { etcPieces, type OsRuntime, resolverPieces } from '../bubblewrap/os-runtime.ts';
import type { Profile } from '../profile.ts';
import { setuidGap } from '../setuid-gap.ts';
import type { LandlockReach } from './landlock-probe.ts';

/** What stands before a program, and what of the profile does not hold behind it. */
export interface LandlockPlan {
  readonly prefix: readonly string[];
  /** Beside the launch's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly gaps: readonly string[];
}

/** Rights that a rule on a file may hold; the others are those of directories (landlock(7)). */
const readFile = ['execute', 'read-file'];
const writeFile = [...readFile, 'write-file', 'truncate'];
const readDirectory = [...readFile, 'read-dir'];
const writeDirectory = [
  ...writeFile,
  'read-dir',
  'remove-dir',
  'remove-file',
  'make-dir',
  'make-reg',
  'make-sock',
  'make-fifo',
  'make-sym',
  'refer',
];
/** All of them are taken away, device files included, before the rules give some back. */
const handled = [...writeDirectory, 'make-char', 'make-block'];

const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/**
 * The profile by setpriv of util-linux, where no namespaces are to be had: paths that are not named can be neither read
 * nor written. That is all it holds. Rights only ever add up below a directory, so what is read-only inside a
 * read-write root stays writable, and nothing can be shown at another place, emptied or invented.
 */
export function landlockPlan(profile: Profile, runtime: OsRuntime, reach: LandlockReach): LandlockPlan {
  const { home, state, network } = profile;
  const own = [...(home.directory === undefined ? [] : [home.directory]), ...state.map(({ directory }) => directory)];
  const writable = [...profile.roots.filter(({ access }) => access === 'rw').map(({ path }) => path), ...own];
  const readable = [
    ...runtime.directories,
    ...etcPieces,
    ...(network === 'full' ? resolverPieces : []),
    ...profile.roots.filter(({ access }) => access === 'ro').map(({ path }) => path),
    ...profile.readOnly,
    '/etc/passwd',
    '/etc/group',
    '/proc/self',
    '/proc/meminfo',
    '/proc/stat',
    '/proc/cpuinfo',
  ];
  const bound = network !== 'full' && reach.network;
  return {
    prefix: [
      reach.setpriv,
      '--no-new-privs',
      '--landlock-access',
      `fs:${handled.join(',')}`,
      ...(bound ? ['--landlock-access', 'net'] : []),
      ...(reach.scope ? ['--landlock-access', 'scope'] : []),
      ...readable.flatMap((path) => rule(path, readDirectory, readFile)),
      ...devices.flatMap((path) => rule(path, writeDirectory, writeFile)),
      ...writable.flatMap((path) => rule(path, writeDirectory, writeFile)),
      '--',
    ],
    // Git stops at a file of configuration that it may not read; a missing one it would pass over.
    env: { GIT_CONFIG_NOSYSTEM: '1', ...(home.directory === undefined ? {} : { HOME: home.directory }) },
    gaps: gapsOf(profile, reach, bound),
  };
}

/** Nothing for a path that does not exist, which setpriv would stop at. */
function rule(path: string, ofDirectory: readonly string[], ofFile: readonly string[]): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return ['--landlock-rule', `path-beneath:${(found.isDirectory() ? ofDirectory : ofFile).join(',')}:${path}`];
}

function gapsOf(profile: Profile, reach: LandlockReach, bound: boolean): readonly string[] {
  const { roots, protectedPaths, masked = [], home, state, files, sockets, network } = profile;
  const writes = roots.some(({ access }) => access === 'rw');
  const moved = state.some(({ path, directory }) => path !== directory) || sockets.some((s) => s.path !== s.socket);
  return [
    'files: names, sizes and times outside of the boundary can be asked for, though not what is in the files',
    'files: a root that is swapped for a symlink while the process starts is followed',
    ...(writes && protectedPaths?.length !== 0
      ? ['files: protected paths in a read-write root can be written, since this backend cannot narrow within a root']
      : []),
    ...(masked.length > 0 ? ['files: masked paths can be read'] : []),
    ...(home.directory === undefined ? ['files: there is no private HOME and no private /tmp'] : []),
    ...(moved || files.length > 0 ? ['files: what the profile shows at another place, or invents, is not shown'] : []),
    bound
      ? 'network: TCP is held; UDP and unix sockets are not'
      : 'network: the process can reach every address, loopback included',
    ...(network !== 'full' && typeof network === 'object'
      ? [
          bound
            ? 'network: no host of the allow-list is reached, since there is no way to the proxy'
            : 'network: the allow-list is not held by this backend',
        ]
      : []),
    reach.scope
      ? 'processes: that other processes of this user exist can be told, though they cannot be signalled'
      : 'processes: other processes of this user can be signalled',
    ...setuidGap(writes),
    'system calls: no filter; shared memory, keyrings and the terminal of the server are not held',
  ];
}
