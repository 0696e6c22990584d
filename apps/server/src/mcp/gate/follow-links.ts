import { readlink, realpath } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

export interface FollowedPath {
  /** Where the path leads, every link followed; what does not exist is taken as it is written. */
  readonly path: string;
  /** What the first link says that lies inside and leads out: no more than who may read the link knows. */
  readonly exit: string | undefined;
}

/** linux, path_resolution(7). */
const MAX_LINKS = 40;
const MAX_PATH_BYTES = 4095;

/**
 * Finds what an absolute path names for the kernel, also where its end is yet to be made: a link that leads to nothing is followed, since
 * a write would make a file there. A path that cannot be looked at further (no permission, too long) is taken as it is written.
 * @param isInside of a path without links: whether it may be seen
 */
export async function followLinks(path: string, isInside: (path: string) => boolean): Promise<FollowedPath> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && isInside(real)) return { path: real, exit: undefined };
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return { path: normalize(path), exit: undefined };
  return walk(path, isInside);
}

async function walk(path: string, isInside: (path: string) => boolean): Promise<FollowedPath> {
  let names = path.split('/').reverse();
  let at = '/';
  let exit: string | undefined;
  for (let links = 0; names.length > 0; ) {
    const name = names.pop() as string;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const target = await readlink(next).catch((error: NodeJS.ErrnoException) => ({ code: error.code }));
    if (typeof target !== 'string') {
      at = next;
      if (target.code === 'EINVAL') continue;
      return { path: join(at, ...names.reverse()), exit };
    }
    links += 1;
    const rest = names.toReversed();
    if (links > MAX_LINKS) return { path: join(next, ...rest), exit };
    const from = target.startsWith('/') ? '/' : at;
    const leads = join(from, target, ...rest);
    if (exit === undefined && isInside(next) && !isInside(leads)) exit = leads;
    names = [...names, ...target.split('/').reverse()];
    at = from;
  }
  return { path: at, exit };
}
