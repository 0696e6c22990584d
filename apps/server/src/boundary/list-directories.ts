import { constants as flags } from 'node:fs';
import { open, opendir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { contains } from '@reeve/policy';
import type { DirectoryList } from '@reeve/protocol';
import { behind, canServeFiles, O_PATH } from './open-roots.ts';

export interface DirectoryQuestion {
  /** As the configuration has them; what is not there, or is a file, is left out. */
  readonly roots: readonly string[];
  /** The roots themselves without it. */
  readonly path: string | undefined;
  readonly max: number;
}

export type DirectoryAnswer =
  | ({ readonly kind: 'listed' } & DirectoryList)
  /** It lies in no root, wherever links lead, or is no directory that can be read. */
  | { readonly kind: 'outside' | 'unreadable' };

/**
 * The directories in a directory below some roots. It is opened first, and where it lies is asked of what is open, so that no link
 * leads out at any moment. Never rejects.
 */
export async function listDirectories({ roots, path, max }: DirectoryQuestion): Promise<DirectoryAnswer> {
  const found = await Promise.all(roots.map(directoryAt));
  const canonical = [...new Set(found.filter((root) => root !== undefined))];
  if (path === undefined) {
    return { kind: 'listed', directories: canonical.map((root) => ({ name: basename(root), path: root })), cut: false };
  }
  const inside = (place: string): boolean => canonical.some((root) => contains(root, place));
  try {
    if (!canServeFiles) {
      const place = await realpath(path);
      return inside(place) ? await listed(place, place, max) : { kind: 'outside' };
    }
    await using handle = await open(path, O_PATH | flags.O_DIRECTORY);
    const place = await readlink(behind(handle));
    return inside(place) ? await listed(behind(handle), place, max) : { kind: 'outside' };
  } catch {
    return { kind: 'unreadable' };
  }
}

async function directoryAt(path: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
  return found?.isDirectory() ? real : undefined;
}

/** @param at where to read it */
async function listed(at: string, path: string, max: number): Promise<DirectoryAnswer> {
  const names: string[] = [];
  for await (const entry of await opendir(at)) {
    if (entry.isDirectory()) names.push(entry.name);
    if (names.length > max) break;
  }
  const cut = names.length > max;
  const directories = names.slice(0, max).sort();
  return { kind: 'listed', path, directories: directories.map((name) => ({ name, path: join(path, name) })), cut };
}
