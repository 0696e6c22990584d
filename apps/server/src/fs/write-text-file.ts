import { randomUUID } from 'node:crypto';
import { constants as flags, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, normalize } from 'node:path';
import { isReeveError, ReeveError } from '@reeve/protocol';
import { behind, type Held, O_PATH, type OpenRoots } from '../boundary/open-roots.ts';
import { protectedName } from '../boundary/protected-name.ts';
import { badParams, changedMeanwhile, outside, protectedPath, readOnly, systemRefusal } from '../boundary/refusal.ts';
import { requireRegular, tooLarge } from './read-text-file.ts';

/** Where a text goes: a name in a directory that is held. */
interface NamedTarget extends AsyncDisposable {
  readonly kind: 'named';
  readonly parent: Held;
  readonly name: string;
  /** The file that is there now. */
  readonly existing: Stats | undefined;
}

/** Or the file itself, where that is a root: another one in its place would not be what was approved. */
interface FileTarget extends AsyncDisposable {
  readonly kind: 'file';
  readonly file: Held;
}

/**
 * Puts `content` at `path` as UTF-8, whole or not at all: a draft beside the file takes its place, with its mode and owner. Missing
 * directories are made. A symbolic link is followed to a file inside the roots and stays; other names of the file (hard links) keep the
 * old text. A file that is a root of its own is written where it is instead, and may be left half written by an error. Nothing is synced
 * to the disk. Throws a ReeveError: what the boundary refuses, `message_too_large` above `maxBytes`.
 */
export async function writeTextFile(
  roots: OpenRoots,
  path: string,
  content: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  if (!content.isWellFormed()) throw badParams('"content" holds half a surrogate pair, which UTF-8 cannot say');
  const bytes = Buffer.from(content);
  if (bytes.length > maxBytes) throw tooLarge(path, maxBytes);
  await using target = await findTarget(roots, path);
  signal.throwIfAborted();
  if (target.kind === 'file') return await overwrite(target.file, bytes, path);
  const draft = `${behind(target.parent.handle)}/.reeve-${randomUUID()}.tmp`;
  try {
    await writeDraft(draft, bytes, target.existing);
    // The directory may have been moved while the draft was written.
    if ((await roots.locate(target.parent.handle, path)) !== target.parent.location) throw changedMeanwhile(path);
    await rename(draft, `${behind(target.parent.handle)}/${target.name}`);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw systemRefusal(error, path);
  }
}

async function overwrite({ handle }: Held, bytes: Buffer, path: string): Promise<void> {
  try {
    await using file = await open(behind(handle), flags.O_WRONLY | flags.O_NONBLOCK | flags.O_NOCTTY);
    await file.writeFile(bytes);
    await file.truncate(bytes.length);
  } catch (error) {
    throw systemRefusal(error, path);
  }
}

async function findTarget(roots: OpenRoots, path: string): Promise<NamedTarget | FileTarget> {
  const found = await holdIfThere(roots, path);
  if (!found) return newTarget(roots, path);
  await using stack = new AsyncDisposableStack();
  const held = stack.use(found);
  const existing = await held.handle.stat();
  requireRegular(existing, path);
  requireWritable(roots, held.location, path);
  if ((existing.mode & 0o222) === 0) {
    throw new ReeveError('forbidden', {
      message: `${path} has a mode without write permission: change that first if it is meant to change`,
      data: { path, reason: 'system' },
    });
  }
  if (roots.placing(held.location).kind === 'file') {
    const kept = stack.move();
    return { kind: 'file', file: held, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }
  const parent = await roots.hold(dirname(held.location));
  return await target(parent, parent.location === dirname(held.location), basename(held.location), existing, path);
}

async function newTarget(roots: OpenRoots, path: string): Promise<NamedTarget> {
  const wanted = normalize(path).replace(/\/+$/, '');
  const name = basename(wanted);
  const parent = await holdDirectory(roots, dirname(wanted), name, path);
  try {
    requireWritable(roots, `${parent.location}/${name}`, path);
    const there = await lstat(`${behind(parent.handle)}/${name}`).catch(() => undefined);
    if (there?.isSymbolicLink()) throw outside(path);
  } catch (error) {
    await parent[Symbol.asyncDispose]();
    throw error;
  }
  return target(parent, true, name, undefined, path);
}

async function target(
  parent: Held,
  unmoved: boolean,
  name: string,
  existing: Stats | undefined,
  path: string,
): Promise<NamedTarget> {
  if (unmoved)
    return { kind: 'named', parent, name, existing, [Symbol.asyncDispose]: () => parent[Symbol.asyncDispose]() };
  await parent[Symbol.asyncDispose]();
  throw changedMeanwhile(path);
}

/**
 * Holds a directory, making what is missing of it, one name at a time below one that is held.
 * @param below what is to stand in it: nothing is made on the way to a place that is refused
 */
async function holdDirectory(roots: OpenRoots, directory: string, below: string, path: string): Promise<Held> {
  const found = await holdIfThere(roots, directory);
  if (found) {
    if ((await found.handle.stat()).isDirectory()) return found;
    await found[Symbol.asyncDispose]();
    throw badParams(`${path}: ${directory} is not a directory`);
  }
  const name = basename(directory);
  await using parent = await holdDirectory(roots, dirname(directory), `${name}/${below}`, path);
  requireWritable(roots, `${parent.location}/${name}/${below}`, path);
  const made = `${behind(parent.handle)}/${name}`;
  let handle: FileHandle;
  try {
    await mkdir(made).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    handle = await open(made, O_PATH | flags.O_DIRECTORY | flags.O_NOFOLLOW);
  } catch (error) {
    throw systemRefusal(error, path);
  }
  return await roots.admit(handle, path);
}

async function holdIfThere(roots: OpenRoots, path: string): Promise<Held | undefined> {
  try {
    return await roots.hold(path);
  } catch (error) {
    if (isReeveError(error) && error.name === 'not_found') return undefined;
    throw error;
  }
}

function requireWritable(roots: OpenRoots, location: string, path: string): void {
  const { access, root, relative } = roots.placing(location);
  if (access !== 'rw') throw readOnly(path);
  const name = protectedName(root, relative);
  if (name !== undefined) throw protectedPath(path, name);
}

async function writeDraft(draft: string, bytes: Buffer, existing: Stats | undefined): Promise<void> {
  const create = flags.O_WRONLY | flags.O_CREAT | flags.O_EXCL | flags.O_NOFOLLOW | flags.O_NOCTTY;
  await using file = await open(draft, create, existing ? 0o600 : 0o666);
  await file.writeFile(bytes);
  if (!existing) return;
  const own = await file.stat();
  if (own.uid !== existing.uid || own.gid !== existing.gid) {
    // Only root may give files away; anybody else becomes the owner of what they write.
    await file.chown(existing.uid, existing.gid).catch(() => {});
  }
  await file.chmod(existing.mode & 0o777);
}
