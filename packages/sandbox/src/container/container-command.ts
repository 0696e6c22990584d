import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Launch } from '../launch.ts';
import type { Profile, SandboxLimits } from '../profile.ts';
import type { GuardedRoot } from '../protected-places.ts';
import { setuidGap } from '../setuid-gap.ts';
import { type StartFailure, startFailure } from '../start-failure.ts';
import type { ContainerEngine } from './container-engine.ts';
import { environmentFile } from './environment-file.ts';

export interface ContainerOptions {
  readonly engine: ContainerEngine;
  /** Of the container; one per run. */
  readonly name: string;
  /** A private directory of the host, for the files that the engine reads by path; deleted after the end of the run. */
  readonly staging: string;
  /** The user and group that own the roots, whom the process runs as. */
  readonly user: number;
  readonly group: number;
}

/** How to run one launch in a container. */
export interface ContainerPlan {
  readonly kind: 'planned';
  readonly command: string;
  readonly args: readonly string[];
  /** Of the client, whole: what the program gets is in the staged files, never on a command line. */
  readonly env: Readonly<Record<string, string>>;
  /** To be made before the start. */
  readonly staged: readonly StagedPlace[];
  /** Ends the container: its processes are no children of the server. */
  readonly stop: { readonly command: string; readonly args: readonly string[] };
  readonly gaps: readonly string[];
}

export type StagedPlace =
  | { readonly kind: 'file'; readonly path: string; readonly text: string; readonly mode: number }
  /** Mode 0555, and empty. */
  | { readonly kind: 'directory'; readonly path: string };

const emptyDirectory = 'empty-directory';
const emptyFile = 'empty-file';

/**
 * The profile as arguments of `docker run` or `podman run`: an image that is read-only, no capability, no new
 * privilege, no network but the server's when that is granted, the roots at their own places. Its stdio is the program's.
 */
export function containerPlan(
  launch: Launch,
  profile: Profile,
  guarded: readonly GuardedRoot[],
  options: ContainerOptions,
): ContainerPlan | StartFailure {
  const { engine, name, staging, user, group } = options;
  const environment = environmentFile({ ...launch.env, HOME: profile.home.path });
  if (environment.kind === 'failed') return environment;
  const mounts = mountsOf(profile, guarded, staging);
  const unnamable = mounts.find(({ source, target }) => isUnnamable(source + target));
  if (unnamable !== undefined) {
    return startFailure(
      'refused',
      `"${unnamable.target}" holds a comma, a quote or a line break, which container engines do not take in a mount: rename it.`,
    );
  }
  const environmentPath = join(staging, 'environment');
  return {
    kind: 'planned',
    command: engine.program,
    args: [
      ...['run', '--rm', '--interactive', '--init', '--pull', 'never', '--name', name, '--hostname', 'sandbox'],
      // Else the engine keeps what the program says to its client, on disk.
      ...['--log-driver', 'none'],
      ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      // The label of SELinux would hide the roots; the other way would be to relabel the user's files.
      ...['--security-opt', 'label=disable'],
      ...(engine.kind === 'podman' && user !== 0 ? ['--userns', 'keep-id'] : []),
      ...['--user', `${user}:${group}`],
      ...['--network', profile.network === 'full' ? 'host' : 'none', '--ipc', 'private'],
      ...limitArguments(profile.limits),
      ...temporary('/tmp', profile.limits.tmpBytes, '1777'),
      ...(profile.home.directory === undefined
        ? temporary(profile.home.path, profile.limits.homeBytes, '0700', `uid=${user},gid=${group}`)
        : []),
      ...mounts.flatMap(({ source, target, access }) => [
        '--mount',
        `type=bind,source=${source},target=${target}${access === 'ro' ? ',readonly' : ''}`,
      ]),
      ...['--env-file', environmentPath, '--workdir', launch.cwd, '--entrypoint', launch.command, '--', engine.image],
      ...launch.args,
    ],
    env: engine.env,
    staged: [
      { kind: 'file', path: environmentPath, text: environment.text, mode: 0o600 },
      ...profile.files.map(({ text }, at): StagedPlace => {
        return { kind: 'file', path: stagedFile(staging, at), text, mode: 0o444 };
      }),
      { kind: 'directory', path: join(staging, emptyDirectory) },
      { kind: 'file', path: join(staging, emptyFile), text: '', mode: 0o444 },
    ],
    stop: { command: engine.program, args: ['rm', '--force', '--volumes', name] },
    gaps: [...gapsOf(profile), ...guarded.flatMap(guardGaps)],
  };
}

interface BindMount {
  readonly source: string;
  readonly target: string;
  readonly access: 'ro' | 'rw';
}

/**
 * The directory around a protected path is a mount of its own: a mount point cannot be moved away, what only holds one can.
 * Engines mount outer places before inner ones whatever their order here.
 */
function mountsOf(profile: Profile, guarded: readonly GuardedRoot[], staging: string): readonly BindMount[] {
  const { roots, readOnly, home, state, files, sockets, masked = [] } = profile;
  const held = guarded.flatMap(({ root, paths }) =>
    paths
      .filter((path) => existsSync(path) && !isUnnamable(path))
      .flatMap((path) => [...directoriesBetween(root, path).map((between) => same(between, 'rw')), same(path, 'ro')]),
  );
  const all: readonly BindMount[] = [
    ...roots.map(({ path, access }) => same(path, access)),
    ...readOnly.filter((path) => existsSync(path)).map((path) => same(path, 'ro')),
    ...held,
    ...(home.directory === undefined
      ? []
      : [{ source: home.directory, target: home.path, access: 'rw' } satisfies BindMount]),
    ...state.map(({ path, directory }): BindMount => ({ source: directory, target: path, access: 'rw' })),
    ...files.map(({ path }, at): BindMount => ({ source: stagedFile(staging, at), target: path, access: 'ro' })),
    ...sockets.map(({ path, socket }): BindMount => ({ source: socket, target: path, access: 'rw' })),
    ...masked.flatMap((path) => hidden(path, staging)),
  ];
  // Engines refuse a second mount at one place: the later one is meant.
  return [...new Map(all.map((mount) => [mount.target, mount])).values()];
}

function isUnnamable(path: string): boolean {
  return /[",\n\r]/.test(path);
}

function guardGaps({ paths, gaps }: GuardedRoot): readonly string[] {
  const unheld = paths.filter((path) => isUnnamable(path) && existsSync(path));
  return [
    ...gaps,
    ...unheld.map((path) => `files: ${JSON.stringify(path)} cannot be named to the engine: it can be written`),
  ];
}

function hidden(path: string, staging: string): readonly BindMount[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return [{ source: join(staging, found.isDirectory() ? emptyDirectory : emptyFile), target: path, access: 'ro' }];
}

function same(path: string, access: BindMount['access']): BindMount {
  return { source: path, target: path, access };
}

/** Those strictly between a root and a path below it. */
function directoriesBetween(root: string, path: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); at.length > root.length; at = dirname(at)) found.unshift(at);
  return found;
}

function stagedFile(staging: string, at: number): string {
  return join(staging, `file-${at}`);
}

function limitArguments({ memoryBytes, processes, fileBytes, openFiles }: SandboxLimits): readonly string[] {
  return [
    ...['--ulimit', 'core=0:0'],
    // Swap counts in: memory may not be passed by it.
    ...(memoryBytes === undefined ? [] : ['--memory', `${memoryBytes}`, '--memory-swap', `${memoryBytes}`]),
    ...(processes === undefined ? [] : ['--pids-limit', `${processes}`]),
    ...(fileBytes === undefined ? [] : ['--ulimit', `fsize=${fileBytes}:${fileBytes}`]),
    ...(openFiles === undefined ? [] : ['--ulimit', `nofile=${openFiles}:${openFiles}`]),
  ];
}

function temporary(path: string, bytes: number | undefined, mode: string, owner?: string): readonly string[] {
  const size = bytes === undefined ? [] : [`size=${bytes}`];
  return [
    '--tmpfs',
    `${path}:${['rw', 'nosuid', 'nodev', `mode=${mode}`, ...size, ...(owner === undefined ? [] : [owner])].join(',')}`,
  ];
}

function gapsOf({ roots, network, nestedSandbox = false }: Profile): readonly string[] {
  return [
    'files: the engine opens the roots by their paths, so one that is swapped for a symlink while it starts is followed',
    'tree: the container is no child of the server, and lives on when the server is killed, until its stdin has ended it',
    'system calls: the filter is that of the engine',
    ...setuidGap(roots.some(({ access }) => access === 'rw')),
    ...(network === 'full' ? ['network: the process is granted the network of the server, loopback included'] : []),
    ...(nestedSandbox ? ['sandbox: a sandbox of its own cannot be built inside'] : []),
  ];
}
