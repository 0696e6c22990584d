import { constants as flags } from 'node:fs';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { DISTINCT_NAMES, indexRoots, type RootIndex } from '@reeve/policy';
import {
  type BoundaryRoot,
  type BoundaryWish,
  boundaryPath,
  type SessionBoundary,
  type SetupIssue,
} from '@reeve/protocol';
import { fewAtATime } from '../pace/in-slices.ts';
import { behind, canServeFiles, O_PATH } from './open-roots.ts';
import type { PlaceRefusal } from './place-refusal.ts';

/** Where a session works, as a client named it. */
export interface BoundaryRequest {
  readonly wish: BoundaryWish | undefined;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
}

/** The same, with what each directory was when it was looked at. All paths are canonical. */
export interface ResolvedPlace {
  readonly boundary: SessionBoundary;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
}

export interface BoundaryRules {
  readonly maxRoots: number;
  /** Reeve's own state: no root lies in it. */
  readonly dataDir: string;
}

export type BoundaryCheck =
  | { readonly kind: 'ok'; readonly place: ResolvedPlace }
  /** `refusals`: the same for the audit log. */
  | { readonly kind: 'invalid'; readonly issues: readonly SetupIssue[]; readonly refusals: readonly PlaceRefusal[] };

/** Places that the kernel makes up or the system keeps its sockets in: no directories to work in. */
const UNFIT = ['/proc', '/sys', '/dev', '/run'];
/** Directories that are looked at together: each is open for that moment, and there may be thousands. */
const AT_ONCE = 64;

/**
 * Finds what each directory of a request is (symlinks followed, asked of the directory once it is open) and whether it may be in a
 * boundary. Without roots of its own the boundary is `cwd` and `additionalDirectories`, read-write.
 */
export async function resolveBoundary(request: BoundaryRequest, rules: BoundaryRules): Promise<BoundaryCheck> {
  const { wish = {} } = request;
  const issues: SetupIssue[] = [];
  const refusals: PlaceRefusal[] = [];
  const dataDir = await realpath(rules.dataDir).catch(() => rules.dataDir);
  const find = async (path: string, at: string): Promise<string> => {
    const found = await canonical(path);
    const known = found.kind === 'found' ? found.path : path;
    const received = found.kind === 'found' ? unfit(found.path, dataDir) : found.received;
    if (received !== undefined) {
      const fix = found.kind === 'found' ? ANOTHER : found.fix;
      issues.push({ path: at, expected: 'an existing directory', received, fix });
      refusals.push({ reason: found.kind === 'found' ? 'never' : 'missing', path: known });
    }
    return known;
  };

  const counted = wish.roots?.length ?? new Set([request.cwd, ...request.additionalDirectories]).size;
  if (counted > rules.maxRoots) {
    const path = wish.roots ? boundaryPath('roots') : 'additionalDirectories';
    const fix = 'name fewer directories, or a common parent of them';
    const expected = `at most ${rules.maxRoots} roots (limits.maxRoots)`;
    const issue = { path, expected, received: String(counted), fix };
    return { kind: 'invalid', issues: [issue], refusals: [{ reason: 'too_many' }] };
  }
  const cwd = await find(request.cwd, 'cwd');
  const additionalDirectories = await fewAtATime(request.additionalDirectories, AT_ONCE, (path, index) =>
    find(path, `additionalDirectories[${index}]`),
  );
  const roots: readonly BoundaryRoot[] = wish.roots
    ? await fewAtATime(wish.roots, AT_ONCE, async (root, index) => ({
        ...root,
        path: await find(root.path, boundaryPath(`roots[${index}].path`)),
      }))
    : [...new Set([cwd, ...additionalDirectories])].map((path) => ({ path, access: 'rw' }));
  if (issues.length === 0) {
    const index = indexRoots(roots, DISTINCT_NAMES);
    issues.push(...twice(roots));
    const named = additionalDirectories.map((path, place) => ({ path, at: `additionalDirectories[${place}]` }));
    for (const { path, at } of [{ path: cwd, at: 'cwd' }, ...named]) {
      const found = outside(index, path, at);
      issues.push(...found);
      refusals.push(...found.map(() => ({ reason: 'outside', path }) as const));
    }
  }
  if (issues.length > 0) return { kind: 'invalid', issues, refusals };
  const { network, require } = wish;
  const boundary: SessionBoundary = {
    roots,
    ...(network === undefined ? {} : { network }),
    ...(require === undefined ? {} : { require }),
    revision: 1,
  };
  return { kind: 'ok', place: { boundary, cwd, additionalDirectories } };
}

type Found =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly received: string; readonly fix: string };

const ANOTHER = 'name the directory of a project, or one below it';

async function canonical(path: string): Promise<Found> {
  try {
    if (!canServeFiles) {
      if (!(await stat(path)).isDirectory()) return NO_DIRECTORY;
      return { kind: 'found', path: await realpath(path) };
    }
    await using handle = await open(path, O_PATH | flags.O_DIRECTORY);
    return { kind: 'found', path: await readlink(behind(handle)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'missing', received: 'nothing there', fix: fixFor(path) };
    if (code === 'ENOTDIR') return NO_DIRECTORY;
    const fix = 'let the user that Reeve runs as look at it, or name another directory';
    return { kind: 'missing', received: `a path that cannot be read (${String(code)})`, fix };
  }
}

const NO_DIRECTORY: Found = {
  kind: 'missing',
  received: 'something that is no directory',
  fix: 'name the directory that holds it',
};

function unfit(path: string, dataDir: string): string | undefined {
  return placeOfSystem(path) ?? (contains(dataDir, path) ? "a place in Reeve's own data directory" : undefined);
}

/** What a canonical path is that is no directory to work in, whoever asks; undefined for others. */
export function placeOfSystem(path: string): string | undefined {
  if (path === '/') return 'the whole file system';
  return UNFIT.some((place) => contains(place, path)) ? `a place of the system, ${JSON.stringify(path)}` : undefined;
}

function fixFor(path: string): string {
  return `create ${JSON.stringify(path.slice(0, 300))} or name a directory of a project that exists on the server`;
}

function twice(roots: readonly BoundaryRoot[]): readonly SetupIssue[] {
  const seen = new Set<string>();
  const at = roots.findIndex(({ path }) => seen.has(path) || !seen.add(path));
  if (at === -1) return [];
  const received = JSON.stringify(roots[at]?.path);
  const fix = 'name each directory once';
  return [{ path: boundaryPath(`roots[${at}].path`), expected: 'another directory', received, fix }];
}

function outside(roots: RootIndex, path: string, at: string): readonly SetupIssue[] {
  if (roots.around(path)) return [];
  const fix = 'add it to the roots of the boundary, or choose a directory inside of one';
  return [{ path: at, expected: 'a directory inside a root', received: JSON.stringify(path), fix }];
}

/** By path component: `/a` contains `/a` and `/a/b`, not `/ab`. */
function contains(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
