import type { Stats } from 'node:fs';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { DISTINCT_NAMES, indexRoots, type RootIndex } from '@reeve/policy';
import {
  type BoundaryRoot,
  type BoundaryWish,
  boundaryPath,
  type RootKind,
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

/** The same, with what each directory and file was when it was looked at. All paths are canonical. */
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

/** `refusals`: the same for the audit log. */
export interface RefusedPlace {
  readonly kind: 'invalid';
  readonly issues: readonly SetupIssue[];
  readonly refusals: readonly PlaceRefusal[];
}

export type BoundaryCheck = { readonly kind: 'ok'; readonly place: ResolvedPlace } | RefusedPlace;

export type RootsCheck = { readonly kind: 'ok'; readonly roots: readonly BoundaryRoot[] } | RefusedPlace;

/** Places that the kernel makes up or the system keeps its sockets in: nothing to work with. */
const UNFIT = ['/proc', '/sys', '/dev', '/run'];
/** Directories and files that are looked at together: each is open for that moment, and there may be thousands. */
const AT_ONCE = 64;

/**
 * Finds what each directory and file of a request is (symlinks followed, asked of it once it is open) and whether it may be in a
 * boundary. Without roots of its own the boundary is `cwd` and `additionalDirectories`, read-write; these are always directories.
 */
export async function resolveBoundary(request: BoundaryRequest, rules: BoundaryRules): Promise<BoundaryCheck> {
  const { wish = {} } = request;
  const counted = wish.roots?.length ?? new Set([request.cwd, ...request.additionalDirectories]).size;
  if (counted > rules.maxRoots) {
    return tooMany(counted, wish.roots ? boundaryPath('roots') : 'additionalDirectories', rules);
  }
  const finder = await openFinder(rules);
  const { issues, refusals } = finder;
  const directory = async (path: string, at: string): Promise<string> =>
    (await finder.find({ path, kind: 'directory' }, at)).path;
  const cwd = await directory(request.cwd, 'cwd');
  const additionalDirectories = await fewAtATime(request.additionalDirectories, AT_ONCE, (path, index) =>
    directory(path, `additionalDirectories[${index}]`),
  );
  const roots: readonly BoundaryRoot[] = wish.roots
    ? await findRoots(wish.roots, finder)
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

/** The same of roots alone, wherever the session works. */
export async function resolveRoots(wished: readonly BoundaryRoot[], rules: BoundaryRules): Promise<RootsCheck> {
  if (wished.length > rules.maxRoots) return tooMany(wished.length, boundaryPath('roots'), rules);
  const finder = await openFinder(rules);
  const roots = await findRoots(wished, finder);
  const { refusals } = finder;
  const issues = finder.issues.length > 0 ? finder.issues : twice(roots);
  return issues.length > 0 ? { kind: 'invalid', issues, refusals } : { kind: 'ok', roots };
}

interface Finder {
  readonly issues: SetupIssue[];
  readonly refusals: PlaceRefusal[];
  /** What is there; what may not be is added to the issues, under the name `at`. Without `kind` it may be a directory or a file. */
  find(wanted: { readonly path: string; readonly kind?: RootKind | undefined }, at: string): Promise<FoundRoot>;
}

interface FoundRoot {
  /** As it was named, where nothing was found. */
  readonly path: string;
  readonly kind: RootKind;
}

async function openFinder(rules: BoundaryRules): Promise<Finder> {
  const issues: SetupIssue[] = [];
  const refusals: PlaceRefusal[] = [];
  const dataDir = await realpath(rules.dataDir).catch(() => rules.dataDir);
  return {
    issues,
    refusals,
    async find({ path, kind }, at) {
      const looked = await canonical(path);
      const found = looked.kind === 'found' ? asWanted(looked, kind) : looked;
      const known: FoundRoot = found.kind === 'found' ? found.root : { path, kind: 'directory' };
      const received = found.kind === 'found' ? unfit(known.path, dataDir) : found.received;
      if (received === undefined) return known;
      const expected = kind === undefined ? 'an existing directory or file' : `an existing ${kind}`;
      issues.push({ path: at, expected, received, fix: found.kind === 'found' ? ANOTHER : found.fix });
      refusals.push({ reason: found.kind === 'found' ? 'never' : 'missing', path: known.path });
      return known;
    },
  };
}

/** `kind` is there for files only. */
function findRoots(wished: readonly BoundaryRoot[], { find }: Finder): Promise<readonly BoundaryRoot[]> {
  return fewAtATime(wished, AT_ONCE, async ({ path, kind, ...root }, index) => {
    const found = await find({ path, kind }, boundaryPath(`roots[${index}].path`));
    return { ...root, path: found.path, ...(found.kind === 'file' ? { kind: 'file' } : {}) };
  });
}

function tooMany(count: number, path: string, { maxRoots }: BoundaryRules): RefusedPlace {
  const fix = 'name fewer directories, or a common parent of them';
  const expected = `at most ${maxRoots} roots (limits.maxRoots)`;
  const issue = { path, expected, received: String(count), fix };
  return { kind: 'invalid', issues: [issue], refusals: [{ reason: 'too_many' }] };
}

type Found =
  | { readonly kind: 'found'; readonly root: FoundRoot }
  | { readonly kind: 'missing'; readonly received: string; readonly fix: string };

const ANOTHER = 'name the directory of a project, or one below it';

async function canonical(path: string): Promise<Found> {
  try {
    if (!canServeFiles) {
      const kind = kindOf(await stat(path));
      return kind === undefined ? NEITHER : { kind: 'found', root: { path: await realpath(path), kind } };
    }
    await using handle = await open(path, O_PATH);
    const kind = kindOf(await handle.stat());
    return kind === undefined ? NEITHER : { kind: 'found', root: { path: await readlink(behind(handle)), kind } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'missing', received: 'nothing there', fix: fixFor(path) };
    if (code === 'ENOTDIR') return NO_DIRECTORY;
    const fix = 'let the user that Reeve runs as look at it, or name another directory';
    return { kind: 'missing', received: `a path that cannot be read (${String(code)})`, fix };
  }
}

function asWanted(found: Extract<Found, { kind: 'found' }>, kind: RootKind | undefined): Found {
  if (kind === undefined || found.root.kind === kind) return found;
  return kind === 'directory' ? NO_DIRECTORY : NO_FILE;
}

function kindOf(found: Stats): RootKind | undefined {
  return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : undefined;
}

const NO_DIRECTORY: Found = {
  kind: 'missing',
  received: 'something that is no directory',
  fix: 'name the directory that holds it',
};

const NO_FILE: Found = {
  kind: 'missing',
  received: 'something that is no file',
  fix: 'leave "kind" out for the directory that is there, or name the file',
};

const NEITHER: Found = {
  kind: 'missing',
  received: 'a pipe, socket or device',
  fix: 'name a directory or a regular file',
};

function unfit(path: string, dataDir: string): string | undefined {
  return placeOfSystem(path) ?? (contains(dataDir, path) ? "a place in Reeve's own data directory" : undefined);
}

/** What a canonical path is that is no place to work in, whoever asks; undefined for others. */
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
  const fix = 'name each root once';
  return [{ path: boundaryPath(`roots[${at}].path`), expected: 'another root', received, fix }];
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
