import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { isApproved, notApproved } from '../approved-place.ts';
import type { SandboxRoot } from '../profile.ts';
import { type StartFailure, startFailure } from '../start-failure.ts';

/** `O_PATH` of open(2), the same number on all architectures: names a place without opening what is there. */
const placeOnly = 0o10000000;
const noFollow = constants.O_NOFOLLOW ?? 0;

export type OpenedPlace = { readonly kind: 'opened'; readonly descriptor: number } | StartFailure;

/** Places that are no root of a boundary: the whole file system, and what the kernel makes up. */
const unfit = /^\/(?:proc|sys|dev)?(?:\/|$)/;

/**
 * The directory or file that was approved under `path`, held by a descriptor that no later rename or symlink can turn to
 * another place. Fails with `bad-root` and with what happened to it.
 */
export function openRoot({ path, kind = 'directory', approved }: SandboxRoot): OpenedPlace {
  if (!isAbsolute(path) || normalize(path) !== path || (path.length > 1 && path.endsWith('/'))) {
    return badRoot(path, 'is not an absolute path in its plain form', 'give the canonical path');
  }
  if (unfit.test(path)) return badRoot(path, 'is no directory to confine a process to', 'choose a project directory');
  let descriptor: number;
  try {
    descriptor = openSync(path, placeOnly | noFollow);
  } catch (error) {
    return badRoot(path, ...whyNot(error as NodeJS.ErrnoException));
  }
  const found = fstatSync(descriptor, { bigint: true });
  const place = readlinkSync(`/proc/self/fd/${descriptor}`);
  const same = kind === 'file' ? found.isFile() : found.isDirectory();
  if (place === path && same && isApproved(approved, found)) return { kind: 'opened', descriptor };
  closeSync(descriptor);
  if (place === path && same) return notApproved(path);
  if (!same) return badRoot(path, ...(kind === 'file' ? noFile : noDirectory));
  return place === `${path} (deleted)`
    ? badRoot(path, 'was deleted', 'create it again, or take it out of the boundary')
    : badRoot(path, `leads through a symlink to "${place}"`, 'approve that directory, or put the real one back');
}

/** What is at `path`, followed through symlinks; undefined when nothing is. */
export function openPlace(path: string): number | undefined {
  try {
    return openSync(path, placeOnly);
  } catch {
    return undefined;
  }
}

/** What is at `path`, its last component not followed. Throws when that cannot be known. */
export function presence(path: string): 'directory' | 'file' | 'symlink' | 'absent' {
  try {
    const found = lstatSync(path);
    return found.isDirectory() ? 'directory' : found.isSymbolicLink() ? 'symlink' : 'file';
  } catch (error) {
    return absentOrThrow(error).kind;
  }
}

/** `path` with its symlinks followed, as far as it exists. */
export function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Only what does not exist is absent: a descriptor that could not be had must not leave something unprotected. */
function absentOrThrow(error: unknown): { readonly kind: 'absent' } {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
  throw error;
}

export type ChildPlace =
  | { readonly kind: 'directory' | 'file' | 'symlink'; readonly descriptor: number }
  | { readonly kind: 'absent' };

/** What the directory behind `parent` holds under `name`, a single component; a symlink is not followed. Throws when that cannot be known. */
export function openChild(parent: number, name: string): ChildPlace {
  let descriptor: number;
  try {
    descriptor = openSync(`/proc/self/fd/${parent}/${name}`, placeOnly | noFollow);
  } catch (error) {
    return absentOrThrow(error);
  }
  const found = fstatSync(descriptor);
  return { kind: found.isDirectory() ? 'directory' : found.isSymbolicLink() ? 'symlink' : 'file', descriptor };
}

const noDirectory: [string, string] = [
  'is not a directory any more, but a file or a symlink',
  'approve the directory it points to, or put the real one back',
];
const noFile: [string, string] = ['is not a regular file any more', 'approve what is there now, or put the file back'];

function whyNot({ code = 'unknown error' }: NodeJS.ErrnoException): [string, string] {
  switch (code) {
    case 'ENOENT':
      return ['does not exist any more', 'create it again, or take it out of the boundary'];
    case 'ELOOP':
    case 'ENOTDIR':
      return noDirectory;
    case 'EACCES':
      return ['may not be entered by the user of the server', 'change its permissions'];
    default:
      return [`cannot be opened (${code})`, 'check what is there'];
  }
}

function badRoot(path: string, what: string, step: string): StartFailure {
  return startFailure('bad-root', `Root "${path}" ${what}: ${step}. Nothing was started.`);
}
