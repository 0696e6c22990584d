import { join } from 'node:path';
import { isWithin } from './bubblewrap/mount.ts';
import { resolved } from './bubblewrap/open-place.ts';
import { createGitSearch, type GitPlace, type GitSearchLimits } from './git-search.ts';
import { DEFAULT_PROTECTED_PATHS, type Profile, type SandboxRoot } from './profile.ts';

/** What is read-only in a read-write root. */
export interface ProtectedPlaces {
  /** Absolute, each once. Some may not exist. */
  readonly paths: readonly string[];
  /** What of it cannot be held. */
  readonly gaps: readonly string[];
}

const OF_GIT = '.git/';

export interface ProtectedSearch {
  /**
   * The protected paths of the profile in its read-write root `root`; those of git in each git directory that is there now, too:
   * of the root itself, of submodules, linked work trees and repositories below. What other roots and the profile's own places in
   * it hold is theirs: a mount below one of them would undo its access.
   * @param seen the same directory by another name, such as one of a descriptor
   */
  in(root: string, seen?: string): Promise<ProtectedPlaces>;
}

export function createProtectedSearch(profile: Profile, limits?: GitSearchLimits): ProtectedSearch {
  const { protectedPaths = DEFAULT_PROTECTED_PATHS } = profile;
  const ofGit = protectedPaths.filter((path) => path.startsWith(OF_GIT)).map((path) => path.slice(OF_GIT.length));
  const search = createGitSearch(writableDirectories(profile).length, limits);
  const taken = placesOf(profile);
  return {
    async in(root, seen) {
      const own = protectedPaths.map((path) => join(root, path));
      const { places, beyond } = ofGit.length === 0 ? { places: [], beyond: 0 } : await search.in(root, seen);
      const found = places.flatMap((place) => namesIn(place, ofGit)).map((path) => join(root, path));
      const others =
        found.length === 0 ? [] : [...taken, ...own].filter((path) => path !== root && isWithin(path, root));
      const free = found.filter((path) => !others.some((other) => other !== path && isWithin(path, other)));
      return {
        paths: [...new Set([...own, ...free])],
        gaps: beyond === 0 ? [] : [unheld(root, places.length, beyond)],
      };
    },
  };
}

function writableDirectories({ roots }: Profile): readonly SandboxRoot[] {
  return roots.filter(({ access, kind }) => access === 'rw' && kind !== 'file');
}

export interface GuardedRoot extends ProtectedPlaces {
  readonly root: string;
}

/** For a backend that opens roots by path: each read-write root that is a directory, with what is read-only in it. */
export async function guardedRoots(profile: Profile, limits?: GitSearchLimits): Promise<readonly GuardedRoot[]> {
  const search = createProtectedSearch(profile, limits);
  const guarded: GuardedRoot[] = [];
  for (const { path: root } of writableDirectories(profile)) guarded.push({ root, ...(await search.in(root)) });
  return guarded;
}

function namesIn({ kind, path }: GitPlace, ofGit: readonly string[]): readonly string[] {
  switch (kind) {
    case 'repository':
      return ofGit.map((name) => join(path, name));
    case 'work-tree':
      return [...ofGit, 'gitdir'].map((name) => join(path, name));
    case 'pointer':
      return [path];
  }
}

function placesOf({ roots, readOnly, home, state, files, sockets, masked = [] }: Profile): readonly string[] {
  const named = [home, ...roots, ...state, ...files, ...sockets].map(({ path }) => path);
  return [...named, ...readOnly, ...readOnly.map(resolved), ...masked];
}

function unheld(root: string, held: number, beyond: number): string {
  return `files: of ${held + beyond} git directories and files that name one in "${root}", ${beyond} are not protected: choose a narrower root or raise limits.maxGitPlaces, and let the user of the server enter them`;
}
