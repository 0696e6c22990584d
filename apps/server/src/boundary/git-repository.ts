import { createHash } from 'node:crypto';
import { open, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** A git work tree, and the repository that it is of. */
export interface Repository {
  /** Canonical path of the directory that has `.git`. */
  readonly workTree: string;
  /**
   * The same for all work trees of one repository: `github.com/acme/app` by the address of its `origin`, as its configuration says, or
   * `local/` and a hash. Never a path, a user or a password.
   */
  readonly name: string;
}

/** Files of git that are read are small; more than this of one is not looked at. */
const MAX_BYTES = 256 * 1024;

/** Repositories by directory, for many questions about neighbours. */
export type KnownRepositories = Map<string, Promise<Repository | undefined>>;

/**
 * The work tree that encloses a directory or file, itself included. Linked work trees and submodules are followed to their repository,
 * where that knows of them: a `.git` file that points to a stranger's repository does not make one part of it.
 * @param path canonical
 * @param home is not looked at any more, nor what lies above it
 */
export async function findRepository(
  path: string,
  home: string | undefined,
  known: KnownRepositories = new Map(),
): Promise<Repository | undefined> {
  if (path === '/' || path === home || home?.startsWith(`${path}/`)) return undefined;
  const before = known.get(path);
  if (before) return before;
  const found = repositoryAt(path).then((repository) => repository ?? findRepository(dirname(path), home, known));
  known.set(path, found);
  return found;
}

/** From the nearest up to `/`. */
export function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = path; at !== '/' && at !== '.'; ) {
    at = dirname(at);
    above.push(at);
  }
  return above;
}

async function repositoryAt(workTree: string): Promise<Repository | undefined> {
  const dotGit = join(workTree, '.git');
  const found = await stat(dotGit).catch(() => undefined);
  if (found?.isDirectory()) {
    const real = await realpath(dotGit).catch(() => undefined);
    return real === undefined ? undefined : { workTree, name: await nameOf(real, real) };
  }
  if (!found?.isFile()) return undefined;
  const pointed = (await readSmall(dotGit))?.match(/^gitdir: (.+?)\s*$/m)?.[1];
  const gitDir = pointed === undefined ? undefined : await realpath(resolve(workTree, pointed)).catch(() => undefined);
  if (gitDir === undefined) return undefined;
  const common = (await commonOf(gitDir)) ?? gitDir;
  const known = await knows(gitDir, common, workTree);
  return { workTree, name: known ? await nameOf(gitDir, common) : localName(workTree) };
}

/** The repository of a linked work tree (gitrepository-layout, `commondir`). */
async function commonOf(gitDir: string): Promise<string | undefined> {
  const text = (await readSmall(join(gitDir, 'commondir')))?.trim();
  return text === undefined ? undefined : realpath(resolve(gitDir, text)).catch(() => undefined);
}

/** Whether the repository says itself that this is a work tree of it: by `gitdir` of a linked one, by `core.worktree` of a submodule. */
async function knows(gitDir: string, common: string, workTree: string): Promise<boolean> {
  if (common !== gitDir) {
    const back = (await readSmall(join(gitDir, 'gitdir')))?.trim();
    return back !== undefined && (await realpath(dirname(resolve(gitDir, back))).catch(() => undefined)) === workTree;
  }
  const config = await readSmall(join(gitDir, 'config'));
  const told = config === undefined ? undefined : configured(config, 'core', 'worktree');
  return told !== undefined && (await realpath(resolve(gitDir, told)).catch(() => undefined)) === workTree;
}

async function nameOf(gitDir: string, common: string): Promise<string> {
  const config = await readSmall(join(common, 'config'));
  const url = config === undefined ? undefined : configured(config, 'remote "origin"', 'url');
  return (url === undefined ? undefined : repositoryOfUrl(url)) ?? localName(common || gitDir);
}

function localName(path: string): string {
  return `local/${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
}

/** The value of a key in the last section of that name (git-config, syntax); what is included from elsewhere is not looked at. */
function configured(config: string, section: string, key: string): string | undefined {
  let inside = false;
  let value: string | undefined;
  for (const line of config.split('\n')) {
    const header = line.match(/^\s*\[([^\]]*)\]/);
    if (header) inside = header[1]?.trim() === section;
    const found = inside ? line.match(/^\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/) : null;
    if (found && found[1]?.toLowerCase() === key) value = found[2]?.replace(/^"(.*)"$/, '$1');
  }
  return value;
}

/**
 * `host/owner/name` of the address of a remote: without user, password, query and `.git`, and with the port only where it is not usual.
 * Undefined for a path of this machine and for what is no address.
 */
export function repositoryOfUrl(text: string): string | undefined {
  const scp = text.match(/^(?:[^@/\s]+@)?([\w.-]+):(?!\/\/)([^\s]+)$/);
  if (scp && !isAbsolute(text) && !text.includes('://')) return named(String(scp[1]), String(scp[2]));
  if (!/^(?:https?|ssh|git|git\+ssh):\/\//i.test(text) || !URL.canParse(text)) return undefined;
  // Only of http and https URL knows which port is usual, and reads the host as such.
  const { hostname, port, pathname } = new URL(text.replace(/^[a-z+]+:/i, 'http:'));
  return named(
    port === '' || port === '22' || port === '443' || port === '9418' ? hostname : `${hostname}:${port}`,
    pathname,
  );
}

function named(host: string, path: string): string | undefined {
  const names =
    path
      .split(/[?#]/, 1)[0]
      ?.split('/')
      .filter((name) => name !== '' && name !== '.' && name !== '..') ?? [];
  const plain = names.join('/').replace(/\.git$/, '');
  const whole = `${host.toLowerCase()}/${plain}`;
  return plain === '' || whole.length > 300 || /[\p{Cc}\s@]/u.test(whole) ? undefined : whole;
}

async function readSmall(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, 'r');
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  }
}
