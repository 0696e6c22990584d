import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ProcessExit } from './exit-status.ts';
import { type StartFailure, startFailure } from './start-failure.ts';

export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable> & { readonly pid: number };

export interface SpawnedChild {
  readonly kind: 'spawned';
  readonly child: PipedChild;
  /** Never rejects. */
  readonly ended: Promise<ProcessExit>;
  /** This side of each 'pipe' in `descriptors`, in their order. */
  readonly pipes: readonly Socket[];
}

export interface SpawnRequest {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What stands in the child's descriptors from 3 on. */
  readonly descriptors: readonly (number | 'ignore' | 'pipe' | 'ipc')[];
  /** Called in the tick in which the process begins. */
  readonly onSpawn?: (child: PipedChild) => void;
}

/** Starts a process with pipes for its stdio, in a session and group of its own: Ctrl-C of a terminal is the server's to handle. */
export async function spawnPiped({
  path,
  args,
  cwd,
  env,
  descriptors,
  onSpawn,
}: SpawnRequest): Promise<SpawnedChild | StartFailure> {
  let child: ChildProcessByStdio<Writable, Readable, Readable>;
  try {
    child = spawn(path, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe', ...descriptors],
      detached: true,
    }) as typeof child;
  } catch (error) {
    return spawnFailure(error as NodeJS.ErrnoException, path);
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error').catch((thrown) => [thrown])) as [NodeJS.ErrnoException];
    return spawnFailure(error, path);
  }
  const ended = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  child.on('error', () => {}); // From here on only a failed kill, which tree.signal answers for.
  const streams = child.stdio as readonly (Readable | Writable | null)[];
  for (const stream of streams) stream?.on('error', () => {});
  const pipes = streams.slice(3).filter((stream) => stream !== null) as unknown as Socket[];
  // On exit Node resumes each stream in `stdio`, which throws away what a late reader of stdout has not read yet.
  Object.assign(child, { stdio: [] });
  onSpawn?.(child as PipedChild);
  return { kind: 'spawned', child: child as PipedChild, ended, pipes };
}

function spawnFailure(error: NodeJS.ErrnoException, path: string): StartFailure {
  switch (error.code) {
    case 'ENOENT':
      return startFailure(
        'not-found',
        `"${path}" exists but could not be executed: the interpreter in its first line, or its loader, is missing. Install that.`,
      );
    case 'EACCES':
      return startFailure(
        'not-executable',
        `"${path}" may not be executed: check its permissions and its interpreter's.`,
      );
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return startFailure(
        'refused',
        `The system refused to start "${path}" (${error.code}): raise the limit on processes, memory or open files, or stop some sessions.`,
      );
    case 'E2BIG':
      return startFailure(
        'refused',
        `"${path}" was given more arguments and environment than the system takes: shorten them.`,
      );
    case 'ERR_INVALID_ARG_VALUE':
      return startFailure('refused', `"${path}" was given a NUL character in its arguments or environment: remove it.`);
    default:
      return startFailure('refused', `The system refused to start "${path}" (${error.code ?? error.name}).`);
  }
}
