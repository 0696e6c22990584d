import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { checkCwd, findCommand } from './command-path.ts';
import { unconfined } from './enforcement.ts';
import { HeldChild } from './held-process.ts';
import type { HolderNotice } from './holder-notice.ts';
import { coverInheritedDescriptors } from './inherited-descriptors.ts';
import { type Launch, type StartFailure, type StartOptions, type StartResult, startFailure } from './launch.ts';
import { createProcessGuard } from './process-guard.ts';
import { createMarker, markerVariable } from './process-marker.ts';
import { openProcessTable } from './process-table.ts';
import { createProcessTree } from './process-tree.ts';
import { createStderrTail } from './stderr-tail.ts';

/**
 * Starts processes and answers for their whole trees: none outlives the holder, nor the server, however that ends.
 * Disposing stops all, with the default graces; starts that come later are refused.
 */
export interface ProcessHolder extends AsyncDisposable {
  /** A failure to start is an answer, not an exception. */
  start(launch: Launch, options?: StartOptions): Promise<StartResult>;
}

export interface HolderOptions {
  /** For the log. */
  readonly onNotice?: (notice: HolderNotice) => void;
}

type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

const defaultTailBytes = 64 * 1024;

export function createProcessHolder({ onNotice = () => {} }: HolderOptions = {}): ProcessHolder {
  const table = openProcessTable();
  const enforcement = unconfined(table === undefined ? 'group-only' : 'found');
  const extraStdio = coverInheritedDescriptors();
  const guard = createProcessGuard(onNotice, extraStdio);
  const held = new Set<HeldChild>();
  const starting = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;

  async function start(launch: Launch, options: StartOptions): Promise<StartResult> {
    const badCwd = await checkCwd(launch.cwd);
    if (badCwd !== undefined) return badCwd;
    const command = await findCommand(launch);
    if (command.kind === 'failed') return command;

    // Held by the guard from before it exists: between fork and registration the server could be killed.
    const marker = createMarker();
    const answer = await guard.register(marker);
    if (answer.kind === 'unguarded') return startFailure('refused', answer.message);
    const child = await spawnPiped(command.path, launch, marker, extraStdio);
    if ('kind' in child) {
      guard.release(marker);
      return child;
    }
    const { pid } = child;
    guard.addGroup(marker, pid);
    const tail = createStderrTail(options.stderrTailBytes ?? defaultTailBytes);
    const { onStderr } = options;
    child.stderr.on('data', (chunk: Buffer) => {
      tail.push(chunk);
      onStderr?.(chunk);
    });
    const tree = createProcessTree({ leader: pid, marker }, table);
    const onGone = () => {
      held.delete(process);
      guard.release(marker);
    };
    const process = new HeldChild({ child, pid, tree, tail, enforcement, onNotice, onGone });
    held.add(process);
    return { kind: 'started', process };
  }

  async function close(): Promise<void> {
    await Promise.allSettled(starting);
    await Promise.all([...held].map((process) => process[Symbol.asyncDispose]()));
    await guard[Symbol.asyncDispose]();
  }

  return {
    async start(launch, options = {}) {
      if (closing !== undefined) return startFailure('refused', 'The server is stopping: start again once it is back.');
      const started = start(launch, options);
      starting.add(started);
      return started.finally(() => starting.delete(started));
    },
    [Symbol.asyncDispose]() {
      closing ??= close();
      return closing;
    },
  };
}

async function spawnPiped(
  path: string,
  launch: Launch,
  marker: string,
  extraStdio: readonly (number | 'ignore')[],
): Promise<(PipedChild & { readonly pid: number }) | StartFailure> {
  let child: PipedChild;
  try {
    child = spawn(path, launch.args, {
      cwd: launch.cwd,
      env: { ...launch.env, [markerVariable]: marker },
      stdio: ['pipe', 'pipe', 'pipe', ...extraStdio],
      detached: true, // A session and group of its own: Ctrl-C of a terminal is the server's to handle.
    }) as PipedChild;
  } catch (error) {
    return spawnFailure(error as NodeJS.ErrnoException, path);
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error').catch((thrown) => [thrown])) as [NodeJS.ErrnoException];
    return spawnFailure(error, path);
  }
  child.on('error', () => {}); // From here on only a failed kill, which tree.signal answers for.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
  // On exit Node resumes each stream in `stdio`, which throws away what a late reader of stdout has not read yet.
  Object.assign(child, { stdio: [] });
  return child as PipedChild & { readonly pid: number };
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
