import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { checkAbsolutePath, indexRoots } from '@reeve/policy';
import type { BoundaryAccess, BoundaryRoot, PathCheckInfo } from '@reeve/protocol';
import { protectedName } from './protected-name.ts';
import type { RootStanding } from './root-standing.ts';

/** What the roots of a session say of a path. */
export interface PathQuestion {
  readonly path: string;
  readonly roots: readonly BoundaryRoot[];
  /** Paths of those that are not what was approved any more. */
  readonly lost: ReadonlySet<string>;
  readonly servers: readonly AskedServer[];
}

interface AskedServer {
  readonly name: string;
  /** How the roots stand with it. */
  readonly standing: readonly RootStanding[];
  /** What it has in the end: no more than its command line names. */
  readonly has: readonly BoundaryRoot[];
}

export type PathAnswer = Omit<PathCheckInfo, 'path'>;

/** Looks where a path leads now, links followed, and what may be done there. What is not there yet is judged by what is around it. */
export async function checkPath({ path, roots, lost, servers }: PathQuestion): Promise<PathAnswer> {
  const nowhere = servers.map(({ name }) => ({ server: name, access: 'none', state: 'outside' }) as const);
  const check = checkAbsolutePath(path);
  const canonical = check.kind === 'path' ? await whereItLeads(check.path) : undefined;
  if (canonical === undefined) return { agent: 'none', servers: nowhere };
  const root = indexRoots(roots).around(canonical);
  const name = root && protectedName(root.path, relative(root.path, canonical));
  const gone = root !== undefined && lost.has(root.path);
  const granted = (access: BoundaryAccess | 'none' = 'none'): BoundaryAccess | 'none' => {
    if (gone) return 'none';
    return name !== undefined && access === 'rw' ? 'ro' : access;
  };
  return {
    canonical,
    agent: granted(root?.access),
    ...(root === undefined ? { needed: await nearestDirectory(canonical) } : { root }),
    ...(gone ? { lost: true as const } : {}),
    ...(name === undefined ? {} : { protected: name }),
    servers: servers.map(({ name: server, standing, has }) => {
      const placed = standing.map((one) => ({ ...one.root, standing: one }));
      const { state = 'outside', why } = indexRoots(placed).around(canonical)?.standing ?? {};
      const access = granted(indexRoots(has).around(canonical)?.access);
      const told = why === undefined ? {} : { why };
      return { server, access, state: state === 'granted' && access === 'none' ? 'outside' : state, ...told };
    }),
  };
}

/** The canonical path of what is there, or would be. Undefined where a link there leads nowhere or in circles, or it may not be looked at. */
export async function whereItLeads(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || dirname(path) === path) return undefined;
    const around = await whereItLeads(dirname(path));
    return around === undefined || (await isLink(path)) ? undefined : join(around, basename(path));
  }
}

async function nearestDirectory(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() || dirname(path) === path ? path : nearestDirectory(dirname(path));
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
