import { dirname } from 'node:path';
import type { Profile } from '../profile.ts';
import type { GuardedRoot } from '../protected-places.ts';
import { type StartFailure, startFailure } from '../start-failure.ts';
import { sbplRule, sbplString } from './sbpl.ts';

/** How to run a program in its profile on macOS. */
export interface SeatbeltPlan {
  readonly kind: 'planned';
  /** Stands before the program. */
  readonly prefix: readonly string[];
  /** The text of the profile, which is among the prefix. */
  readonly text: string;
  /** Beside the launch's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly gaps: readonly string[];
}

export interface SeatbeltOptions {
  /** Port on 127.0.0.1 of the proxy that decides for an allow-list. */
  readonly proxyPort?: number;
}

const sandboxExec = '/usr/bin/sandbox-exec';

/** Programs, libraries and what they look up. Canonical: /etc, /tmp and /var are symlinks into /private. */
const systemPaths = [
  '/usr/bin',
  '/usr/lib',
  '/usr/libexec',
  '/usr/sbin',
  '/usr/share',
  '/bin',
  '/sbin',
  '/System',
  '/Library/Apple',
  '/Library/Developer/CommandLineTools',
  '/private/etc/ssl',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/opt/homebrew',
  '/usr/local',
];
const systemFiles = [
  '/private/etc/localtime',
  '/private/etc/passwd',
  '/private/etc/group',
  '/private/etc/protocols',
  '/private/etc/services',
  '/private/var/select/sh',
];
const resolverFiles = ['/private/etc/hosts', '/private/etc/resolv.conf', '/private/var/run/resolv.conf'];
const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/tty', '/dev/dtracehelper'];
/** Services without which programs do not start: user and group names, logging, notifications, trust in certificates. */
const services = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.SecurityServer',
  'com.apple.trustd.agent',
];
const networkServices = ['com.apple.dnssd.service', 'com.apple.SystemConfiguration.configd'];

/**
 * The profile for `sandbox-exec -p`: everything is denied but what is listed, and of two rules the later one holds.
 * Nothing can be shown at another place or invented, so HOME and state are the directories of the host themselves.
 */
export function seatbeltPlan(
  profile: Profile,
  guarded: readonly GuardedRoot[],
  { proxyPort }: SeatbeltOptions = {},
): SeatbeltPlan | StartFailure {
  const { home, roots, state, masked = [], sockets, network, files } = profile;
  const own = [...(home.directory === undefined ? [] : [home.directory]), ...state.map(({ directory }) => directory)];
  const places = [
    ...roots.map(({ path }) => path),
    ...own,
    ...profile.readOnly,
    ...masked,
    ...sockets.map((s) => s.socket),
  ];
  const bad = places.find((path) => sbplString(path) === undefined);
  if (bad !== undefined) {
    return startFailure('refused', 'A path of the boundary holds control characters: rename it. Nothing was started.');
  }

  const writable = roots.filter(({ access }) => access === 'rw').map(({ path }) => path);
  const guardedPaths = guarded.flatMap(({ paths }) => paths);
  const held = guardedPaths.filter((path) => sbplString(path) !== undefined);
  const unheld = guardedPaths.filter((path) => sbplString(path) === undefined);
  const readOnly = roots.filter(({ access }) => access === 'ro').map(({ path }) => path);
  const readable = [...systemPaths, ...roots.map(({ path }) => path), ...own, ...profile.readOnly];
  const full = network === 'full';
  const text = [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    `(allow mach-lookup ${[...services, ...(full ? networkServices : [])].map((name) => `(global-name "${name}")`).join(' ')})`,
    // The way to a path must be walkable; what lies beside it must not be listed.
    ...sbplRule('allow', 'file-read-metadata', 'literal', ancestors([...readable, ...systemFiles])),
    ...sbplRule('allow', 'file-read*', 'subpath', readable),
    ...sbplRule('allow', 'file-read*', 'literal', [...systemFiles, ...(full ? resolverFiles : []), '/']),
    ...sbplRule('allow', 'file-read* file-write-data file-ioctl', 'literal', devices),
    ...sbplRule('allow', 'file-write*', 'subpath', [...writable, ...own]),
    ...sbplRule('deny', 'file-write*', 'subpath', [...readOnly, ...held, ...profile.readOnly]),
    // A program that runs as its owner, whoever calls it, would act for the server's user.
    '(deny file-write-setugid)',
    // Else what is protected could be moved away with the directory that it is in.
    ...sbplRule('deny', 'file-write-unlink', 'literal', [
      ...ancestorsWithin([...held, ...readOnly], writable),
      ...writable,
    ]),
    ...sbplRule('deny', 'file-read* file-write*', 'subpath', masked),
    ...networkRules(profile, proxyPort),
  ].join('\n');
  return {
    kind: 'planned',
    prefix: [sandboxExec, '-p', text],
    text,
    env: home.directory === undefined ? {} : { HOME: home.directory },
    gaps: [
      'files: a root that is swapped for a symlink while the process starts is followed',
      'processes: other processes are visible in the process list',
      ...guarded.flatMap(({ gaps }) => gaps),
      ...unheld.map((path) => `files: ${JSON.stringify(path)} holds control characters: it can be written`),
      ...(home.directory === undefined ? ['files: there is no private HOME and no private temporary directory'] : []),
      ...(files.length > 0 ? ['files: what the profile invents is not shown'] : []),
      ...(typeof network === 'object' && proxyPort === undefined
        ? ['network: there is no proxy for the allow-list, so nothing is reached']
        : []),
    ],
  };
}

function networkRules({ network, sockets }: Profile, proxyPort: number | undefined): readonly string[] {
  if (network === 'full') return ['(allow network*)', '(allow system-socket)'];
  const bound = sbplRule(
    'allow',
    'network-outbound',
    'literal',
    sockets.map(({ socket }) => socket),
  );
  const proxy =
    typeof network === 'object' && proxyPort !== undefined
      ? [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]
      : [];
  return ['(deny network*)', ...bound, ...proxy];
}

/** The directories above the paths, each once. */
function ancestors(paths: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const path of paths) for (let at = dirname(path); !found.has(at); at = dirname(at)) found.add(at);
  return [...found].sort();
}

/** Those of the directories above the paths that lie below a root. */
function ancestorsWithin(paths: readonly string[], roots: readonly string[]): readonly string[] {
  return ancestors(paths).filter((path) => roots.some((root) => path.startsWith(`${root}/`)));
}
