import { randomUUID } from 'node:crypto';
import { readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 100;
const BEAT_MS = 5_000;
/** A lock that was not touched for this long has lost its owner, wherever it ran. */
const STALE_MS = 30_000;

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Which taking of the lock it was: one process may take many. */
  readonly id: string;
}

/**
 * Takes the lock file at `path`, whose directory exists; waits while a living process holds it, and takes it over from a dead
 * one. Disposing gives it back. Rejects with the reason of `signal`.
 */
export async function takeInstallLock(path: string, signal: AbortSignal): Promise<AsyncDisposable> {
  const own: Owner = { pid: process.pid, host: hostname(), id: randomUUID() };
  for (;;) {
    signal.throwIfAborted();
    try {
      await writeFile(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
      return hold(path, own);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await isStale(path)) await discard(path);
    else await wait(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function hold(path: string, own: Owner): AsyncDisposable {
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), BEAT_MS).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      if ((await readOwner(path))?.id === own.id) await unlink(path).catch(() => {});
    },
  };
}

async function isStale(path: string): Promise<boolean> {
  const touched = await stat(path).catch(() => undefined);
  if (!touched) return false;
  if (Date.now() - touched.mtimeMs > STALE_MS) return true;
  const owner = await readOwner(path);
  return owner !== undefined && owner.host === hostname() && !isAlive(owner.pid);
}

/** By a new name first: of two that find a lock stale, only one gets it. What they do under it bears being done twice. */
async function discard(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    await unlink(aside);
  } catch {
    // Somebody else was faster.
  }
}

/** Undefined while it is being written, or when it is gone. */
async function readOwner(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
