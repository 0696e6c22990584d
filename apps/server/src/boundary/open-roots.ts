import { existsSync, constants as flags } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative } from 'node:path';
import type { SandboxRoot } from '@reeve/sandbox';
import { fewAtATime } from '../pace/in-slices.ts';
import { badParams, changedMeanwhile, outside, rootGone, systemRefusal } from './refusal.ts';

/** `open(2)`: names a file without opening it, so that no device or pipe notices. Node has no name for it. */
export const O_PATH = 0o10000000;

/** Whether this system can tell where an open file lies; without that there is no boundary for files. */
export const canServeFiles = process.platform === 'linux' && existsSync('/proc/self/fd');

/** A path of the file behind a descriptor, whatever has happened to its name. */
export function behind(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

/** Roots that are opened, or closed, together: there may be thousands. */
const AT_ONCE = 64;

/** One root, held open since the session began. */
interface OpenRoot {
  readonly declared: SandboxRoot;
  readonly handle: FileHandle;
  /** Canonical path when it was opened. */
  readonly location: string;
}

/** Something inside the roots, held by a descriptor that cannot be read or written (`O_PATH`). Whoever has it disposes of it. */
export interface Held extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Canonical path, as the kernel said after it was opened. */
  readonly location: string;
}

/** What the boundary says of a canonical path. */
export interface Placing {
  readonly access: SandboxRoot['access'];
  /** Canonical path of the deepest root around it. */
  readonly root: string;
  /** The path below that root; empty for the root itself. */
  readonly relative: string;
  /** Where the root is a file, the path is the root. */
  readonly kind: NonNullable<SandboxRoot['kind']>;
}

/**
 * The directories and files of one session. A path is never checked and then used: it is opened first, below the root's own descriptor, and what
 * is asked then is where the open file lies. So a directory that becomes a symbolic link at any moment leads nowhere.
 */
export class OpenRoots implements AsyncDisposable {
  readonly #roots: readonly OpenRoot[];
  /** Roots that were not there when the session began. */
  readonly #missing: readonly SandboxRoot[];
  /** What is in none of them, wherever it lies. */
  readonly #hidden: readonly string[];

  private constructor(roots: readonly OpenRoot[], missing: readonly SandboxRoot[], hidden: readonly string[]) {
    this.#roots = roots;
    this.#missing = missing;
    this.#hidden = hidden;
  }

  /**
   * Never rejects: what a root that cannot be opened holds is refused when it is asked for.
   * @param hidden canonical paths that count as outside, with all below them
   */
  static async open(declared: readonly SandboxRoot[], hidden: readonly string[] = []): Promise<OpenRoots> {
    const missing: SandboxRoot[] = [];
    const opened = await fewAtATime(declared, AT_ONCE, async (root) => {
      try {
        return [await openRoot(root)];
      } catch {
        missing.push(root);
        return [];
      }
    });
    return new OpenRoots(opened.flat(), missing, hidden);
  }

  /**
   * Holds what `path` names, links followed. Throws the refusal: `forbidden` outside, `not_found` for what is not there inside.
   * A path that is lexically outside is not even looked at.
   */
  async hold(path: string): Promise<Held> {
    const { root, below } = await this.#start(path);
    let handle: FileHandle;
    try {
      handle = await open(
        root.declared.kind === 'file' ? behind(root.handle) : join(behind(root.handle), below || '.'),
        O_PATH,
      );
    } catch (error) {
      throw await this.#explain(error, path, root, below);
    }
    return this.admit(handle, path);
  }

  /** Takes a descriptor that must lie inside the roots; closes it when it does not. */
  async admit(handle: FileHandle, path: string): Promise<Held> {
    try {
      const location = await this.locate(handle, path);
      return { handle, location, [Symbol.asyncDispose]: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Where an open file lies now; throws when that is outside. */
  async locate(handle: FileHandle, path: string): Promise<string> {
    const location = await readlink(behind(handle));
    const root = this.#around(location);
    if (!root) throw outside(path);
    await requirePlace(root);
    return location;
  }

  /** @param location a canonical path inside, as `hold` gives it, or one below such a directory */
  placing(location: string): Placing {
    const root = this.#around(location);
    if (!root) throw outside(location);
    return {
      access: root.declared.access,
      root: root.location,
      relative: relative(root.location, location),
      kind: root.declared.kind ?? 'directory',
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await fewAtATime(this.#roots, AT_ONCE, ({ handle }) => handle.close());
  }

  /** The root that a path begins with, by the name that was declared or the canonical one, and the rest of the path. */
  async #start(path: string): Promise<{ readonly root: OpenRoot; readonly below: string }> {
    if (!isAbsolute(path)) throw badParams(`"path" must be absolute, was ${JSON.stringify(path.slice(0, 200))}`);
    if (path.includes('\0')) throw badParams('"path" holds a NUL character');
    const wanted = normalize(path).replace(/(?<=.)\/+$/, '');
    const starts = this.#roots.flatMap((root) =>
      [root.declared.path, root.location]
        .filter((path) => contains({ ...root.declared, path }, wanted))
        .map((from) => ({ root, from })),
    );
    const [start] = starts.sort((one, other) => other.from.length - one.from.length);
    if (!start) {
      const gone = this.#missing.find((root) => contains(root, wanted));
      throw gone ? rootGone(gone.path) : outside(path);
    }
    await requirePlace(start.root);
    return { root: start.root, below: relative(start.from, wanted) };
  }

  /** The deepest root around a canonical path; of two that are the same directory, the read-only one. */
  #around(location: string): OpenRoot | undefined {
    if (this.#hidden.some((path) => contains({ path, access: 'rw' }, location))) return undefined;
    const around = this.#roots.filter(({ declared, location: path }) => contains({ ...declared, path }, location));
    const [first] = around.sort(
      (one, other) =>
        other.location.length - one.location.length ||
        Number(one.declared.access === 'rw') - Number(other.declared.access === 'rw'),
    );
    return first;
  }

  /** Why a path could not be opened, told only as far as the way there lies inside the roots. */
  async #explain(error: unknown, path: string, root: OpenRoot, below: string): Promise<unknown> {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENAMETOOLONG') return systemRefusal(error, path);
    await using held = new AsyncDisposableStack();
    let at = root.handle;
    for (const name of below.split('/')) {
      const step = join(behind(at), name);
      try {
        at = held.use(await open(step, O_PATH | flags.O_NOFOLLOW));
      } catch (refused) {
        return systemRefusal(refused, path);
      }
      if (!(await at.stat()).isSymbolicLink()) continue;
      try {
        at = held.use(await open(step, O_PATH));
        await this.locate(at, path);
      } catch {
        return outside(path);
      }
    }
    return changedMeanwhile(path);
  }
}

async function requirePlace({ handle, location, declared }: OpenRoot): Promise<void> {
  if ((await readlink(behind(handle))) !== location) throw rootGone(declared.path);
}

/** Throws where what is there is not what was declared. */
async function openRoot(declared: SandboxRoot): Promise<OpenRoot> {
  const isFile = declared.kind === 'file';
  const handle = await open(declared.path, isFile ? O_PATH : O_PATH | flags.O_DIRECTORY);
  if (isFile && !(await handle.stat()).isFile()) {
    await handle.close();
    throw rootGone(declared.path);
  }
  return { declared, handle, location: await readlink(behind(handle)) };
}

/** By path component: `/a` contains `/a` and `/a/b`, not `/ab`. A file contains itself. */
function contains({ path: root, kind }: SandboxRoot, path: string): boolean {
  return path === root || (kind !== 'file' && path.startsWith(root.endsWith('/') ? root : `${root}/`));
}
