import { constants } from 'node:fs';
import { lstat, mkdtemp, open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a server keeps the sockets of its sessions. Disposing removes it. */
export interface SocketDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Which process a directory belongs to, so that another one can tell whether it still runs. */
interface Owner {
  readonly pid: number;
  /** Of the machine; empty where it does not say. */
  readonly boot: string;
  /** In which the number of the process counts; empty where there is only one. */
  readonly namespace: string;
  /** When it began, in the ticks of /proc: a number is used again. */
  readonly began: string;
}

const PREFIX = 'reeve-';
/** As `mkdtemp` names it. */
const NAME = /^reeve-[A-Za-z0-9]{6}$/;
const MARKER = 'owner';
const MAX_MARKER_BYTES = 1000;
/** `mkdtemp` gives no other. */
const MODE = 0o700;

/**
 * Makes a directory of its own below `parent`, whose path is short enough for a socket, and removes those that killed servers of the same
 * user left there. What is not certain to be such a one is left alone.
 */
export async function openSocketDirectory(parent: string): Promise<SocketDirectory> {
  const self = await ownerOf(process.pid);
  await sweep(parent, self);
  const path = await mkdtemp(join(parent, PREFIX));
  await writeFile(join(path, MARKER), JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function sweep(parent: string, self: Owner): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((one) => NAME.test(one))) {
    const path = join(parent, name);
    // Whatever is amiss with one that is left over must not keep a server from its own.
    if (await isLeftOver(path, self).catch(() => false))
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function isLeftOver(path: string, self: Owner): Promise<boolean> {
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o777) !== MODE) return false;
  await using marker = await open(join(path, MARKER), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const { buffer, bytesRead } = await marker.read(Buffer.alloc(MAX_MARKER_BYTES), 0, MAX_MARKER_BYTES, 0);
  const owner: unknown = JSON.parse(buffer.toString('utf8', 0, bytesRead));
  return isOwner(owner) && (await isGone(owner, self));
}

async function isGone({ pid, boot, namespace, began }: Owner, self: Owner): Promise<boolean> {
  if (boot !== self.boot) return true;
  // Its number means another process here, if any.
  if (namespace !== self.namespace) return false;
  if (!runs(pid)) return true;
  const now = await ownerOf(pid);
  return now.began !== began;
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function ownerOf(pid: number): Promise<Owner> {
  const [boot, namespace, stat] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''),
  ]);
  // The name of the program may hold anything, and ends with the last parenthesis: field 22 is the twentieth after it (proc_pid_stat(5)).
  const began = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return { pid, boot: boot.trim(), namespace, began };
}

function isOwner(value: unknown): value is Owner {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, boot, namespace, began } = value as Record<string, unknown>;
  const texts = [boot, namespace, began].every((text) => typeof text === 'string');
  return texts && Number.isSafeInteger(pid) && (pid as number) > 0;
}
