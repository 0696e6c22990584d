import type { GitSearchLimits } from '../git-search.ts';
import type { Profile, SandboxRoot } from '../profile.ts';
import { createProtectedSearch } from '../protected-places.ts';
import { type StartFailure, startFailure } from '../start-failure.ts';
import { type HeldPlace, heldPlaces } from './held-places.ts';
import { isWithin, type Mount, outerFirst } from './mount.ts';
import { openPlace, openRoot, presence, resolved } from './open-place.ts';
import type { OsRuntime } from './os-runtime.ts';
import type { PassedDescriptors } from './passed-descriptors.ts';
import { createPins, type Pins } from './pinned-paths.ts';

/** What stands where inside, with each place of the host held by a descriptor. */
export interface MountPlan {
  readonly kind: 'planned';
  /** Outer before inner. */
  readonly mounts: readonly Mount[];
  /** Protected paths that do not exist now, absolute. */
  readonly absent: readonly string[];
  /** What is narrower than the read-write root or state directory around it. */
  readonly held: readonly HeldPlace[];
  /** What this plan cannot hold. */
  readonly gaps: readonly string[];
  /** Whether what the host has at `path` is to be seen inside at the same path, symlinks aside. */
  shows(path: string): boolean;
}

/** What of the machine a plan needs. */
export interface MountHost {
  readonly runtime: OsRuntime;
  readonly gitSearch?: GitSearchLimits | undefined;
}

/**
 * Opens and checks everything that the profile names, now: what is swapped later is not followed. The descriptors belong
 * to `passed`, after a failure too.
 */
export async function planMounts(
  profile: Profile,
  { runtime, gitSearch }: MountHost,
  passed: PassedDescriptors,
): Promise<MountPlan | StartFailure> {
  const { limits, home } = profile;
  const scratch: Mount[] = ['/tmp', '/var/tmp'].map((path) => ({
    kind: 'tmpfs',
    path,
    mode: '1777',
    bytes: limits.tmpBytes,
  }));
  const roots = openRoots(profile.roots, passed);
  if ('kind' in roots) return roots;

  const held: Mount[] = [];
  const programs: Mount[] = [];
  const masks: Mount[] = [];
  const absent: string[] = [];
  const gaps: string[] = [];
  const innermost = (path: string) => roots.findLast((root) => root.path !== path && isWithin(path, root.path));

  // A mount below a root stands on what is there: bubblewrap would make a placeholder in the root of the host.
  const misplaced = (path: string): StartFailure | undefined => {
    const root = innermost(path);
    if (root === undefined) return undefined;
    if ((root.pins?.pin(path).kind ?? presence(path)) !== 'absent') return undefined;
    return startFailure(
      'refused',
      `"${path}" lies in the root "${root.path}" and does not exist there: create it, or place it outside of the roots.`,
    );
  };
  const bindDirectory = (path: string, directory: string): Mount | StartFailure => {
    const descriptor = openPlace(directory);
    if (descriptor === undefined) {
      return startFailure('refused', `The state directory "${directory}" does not exist: create it.`);
    }
    return { kind: 'bind', path, access: 'rw', descriptor: passed.pass(descriptor) };
  };

  const ownHome: Mount | StartFailure =
    home.directory === undefined
      ? { kind: 'tmpfs', path: home.path, mode: '0700', bytes: limits.homeBytes }
      : bindDirectory(home.path, home.directory);
  const placed: (Mount | StartFailure)[] = [
    ownHome,
    ...profile.state.map(({ path, directory }) => bindDirectory(path, directory)),
    ...profile.files.map(({ path, text }): Mount => ({ kind: 'file', path, descriptor: passed.passData(text) })),
    ...profile.sockets.map(({ path, socket }): Mount | StartFailure => {
      const descriptor = openPlace(socket);
      return descriptor === undefined
        ? startFailure('refused', `The socket "${socket}" does not exist: nobody listens there. Start again.`)
        : { kind: 'bind', path, access: 'rw', descriptor: passed.pass(descriptor) };
    }),
  ];
  const own: Mount[] = [];
  for (const mount of placed) {
    if (mount.kind === 'failed') return mount;
    const failure = roots.some((root) => root.path === mount.path) ? undefined : misplaced(mount.path);
    if (failure !== undefined) return failure;
    own.push(mount);
  }

  // What a path resolves to stands at its own place too, where programs look that resolve their own path.
  for (const path of new Set(profile.readOnly.flatMap((given) => [given, resolved(given)]))) {
    const root = innermost(path);
    if (
      root?.access === 'ro' ||
      roots.some((known) => known.path === path) ||
      // /bin is a link into what is shown: nothing can be mounted at /bin/sh.
      [...runtime.directories, ...runtime.links.map((link) => link.path)].some((shown) => isWithin(path, shown))
    )
      continue;
    if (root?.pins !== undefined && root.pins.pin(path).kind === 'symlink') continue;
    const kept = root === undefined ? profile.state.findLast((state) => isWithin(path, state.path)) : undefined;
    if (kept !== undefined && presence(kept.directory + path.slice(kept.path.length)) === 'symlink') {
      gaps.push(replaceableLink(path));
      continue;
    }
    const descriptor = openPlace(path);
    if (descriptor !== undefined)
      programs.push({ kind: 'bind', path, access: 'ro', descriptor: passed.pass(descriptor) });
  }

  const search = createProtectedSearch(profile, gitSearch);
  for (const root of roots) {
    const around = innermost(root.path);
    around?.pins?.pin(root.path);
    if (root.kind === 'file' && root.access === 'ro' && around?.access === 'rw') gaps.push(untilReplaced(root.path));
    if (root.pins === undefined) continue;
    const guarded = await search.in(root.path, `/proc/self/fd/${root.descriptor}`);
    gaps.push(...guarded.gaps);
    for (const path of guarded.paths) {
      const place = root.pins.pin(path);
      if (place.kind === 'absent') absent.push(path);
      else if (place.kind === 'symlink') gaps.push(replaceableLink(path));
      else held.push({ kind: 'bind', path, access: 'ro', descriptor: passed.pass(place.descriptor) });
    }
  }

  for (const path of profile.masked ?? []) {
    const kind = innermost(path)?.pins?.pin(path).kind ?? presence(path);
    if (kind === 'absent') continue;
    if (kind === 'symlink') {
      return startFailure(
        'refused',
        `"${path}" is to be hidden, but is a symlink: name what it points to. Nothing was started.`,
      );
    }
    masks.push(
      kind === 'directory'
        ? { kind: 'empty-directory', path }
        : { kind: 'file', path, descriptor: passed.passData('') },
    );
  }

  const granted = roots.map(
    ({ path, access, descriptor }): Mount => ({ kind: 'bind', path, access, descriptor: passed.pass(descriptor) }),
  );
  // At one path the later one covers the earlier.
  const pins = roots.flatMap((root) => root.pins?.mounts ?? []);
  const unmasked = [...programs, ...pins, ...held].filter(
    ({ path }) => !masks.some((mask) => mask.path !== path && isWithin(path, mask.path)),
  );
  const mounts = outerFirst([...scratch, ...own, ...unmasked, ...granted, ...masks]);
  const narrower = [...unmasked, ...granted, ...masks].flatMap((mount) => {
    const { path } = mount;
    if (mount.kind === 'bind' && mount.access === 'rw') return [];
    const state = profile.state.findLast((kept) => kept.path !== path && isWithin(path, kept.path));
    if (innermost(path) === undefined && state !== undefined) return [state.directory + path.slice(state.path.length)];
    return innermost(path)?.pins === undefined ? [] : [path];
  });
  const same = new Set([...unmasked, ...granted]);
  const shown = outerFirst([
    ...[...runtime.directories, ...runtime.links.map((link) => link.path)].map((path) => ({ path, same: true })),
    ...mounts.map((mount) => ({ path: mount.path, same: same.has(mount) })),
  ]);
  return {
    kind: 'planned',
    mounts,
    absent,
    held: heldPlaces(narrower),
    gaps,
    shows: (path) => shown.findLast((mount) => isWithin(path, mount.path))?.same ?? false,
  };
}

/** Nothing can be mounted on a symlink; what it leads to is held for itself. */
function replaceableLink(path: string): string {
  return `files: "${path}" is a symlink, which the process can replace`;
}

/** The kernel takes a mount away with the name that it stands on, wherever that is replaced (rename(2)). */
function untilReplaced(path: string): string {
  return `files: "${path}" is read-only as the file that it is now: one that takes its place from outside can be written, as what lies around it, until the process is started again`;
}

interface OpenedRoot extends SandboxRoot {
  readonly descriptor: number;
  /** Of a read-write root that is a directory. */
  readonly pins: Pins | undefined;
}

/** Outer before inner. */
function openRoots(roots: readonly SandboxRoot[], passed: PassedDescriptors): readonly OpenedRoot[] | StartFailure {
  const opened: OpenedRoot[] = [];
  for (const root of outerFirst(roots)) {
    const { path, access } = root;
    const place = openRoot(root);
    if (place.kind === 'failed') return place;
    const { descriptor } = place;
    passed.pass(descriptor);
    opened.push({
      ...root,
      descriptor,
      pins: access === 'rw' && root.kind !== 'file' ? createPins({ path, descriptor }, passed) : undefined,
    });
  }
  return opened;
}
