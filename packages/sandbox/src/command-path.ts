import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Launch } from './launch.ts';
import { type StartFailure, startFailure } from './start-failure.ts';

export type CommandPath = { readonly kind: 'found'; readonly path: string } | StartFailure;

/**
 * The file that a launch would run, found as execvp(3) would in the environment and directory of the launch, so that
 * a failure can say where was looked. The answer may be stale by the time of the start, which then fails by itself.
 */
export async function findCommand(launch: Launch): Promise<CommandPath> {
  const { command, cwd, env } = launch;
  if (command === '') return startFailure('not-found', 'The command is empty: give a program name or a path.');
  if (command.includes('/')) return checkedPath(resolve(cwd, command), launch);

  const path = env.PATH;
  if (path === undefined || path === '') {
    return startFailure(
      'not-found',
      `Command "${command}" was not looked for: its env has no PATH. Add PATH to env, or give the command as an absolute path.`,
    );
  }
  let denied: string | undefined;
  for (const directory of path.split(':')) {
    const candidate = resolve(cwd, directory, command);
    const state = await fileState(candidate);
    if (state === 'executable') return { kind: 'found', path: candidate };
    if (state === 'not-executable') denied ??= candidate;
  }
  if (denied !== undefined) return notExecutable(denied);
  return startFailure(
    'not-found',
    `Command "${command}" was not found on PATH=${path}. Install it, correct PATH in its env, or give an absolute path.`,
  );
}

/** The command of a launch outside of any sandbox, with its directory checked first. */
export async function locateCommand(launch: Launch): Promise<CommandPath> {
  return (await checkCwd(launch.cwd)) ?? (await findCommand(launch));
}

/** Whether `cwd` can be entered; undefined if it can. */
export async function checkCwd(cwd: string): Promise<StartFailure | undefined> {
  if (!isAbsolute(cwd)) {
    return startFailure('bad-cwd', `Working directory "${cwd}" is not absolute: give the full path.`);
  }
  const found = await stat(cwd).catch(errorCode);
  if (typeof found === 'string') {
    return startFailure(
      'bad-cwd',
      `Working directory "${cwd}" cannot be used (${found}): create it or choose another.`,
    );
  }
  if (!found.isDirectory()) {
    return startFailure('bad-cwd', `Working directory "${cwd}" is not a directory: choose a directory.`);
  }
  const entered = await access(cwd, constants.X_OK).catch(errorCode);
  if (typeof entered === 'string') {
    return startFailure(
      'bad-cwd',
      `Working directory "${cwd}" cannot be entered (${entered}): change its permissions.`,
    );
  }
  return undefined;
}

async function checkedPath(path: string, launch: Launch): Promise<CommandPath> {
  const state = await fileState(path);
  if (state === 'executable') return { kind: 'found', path };
  if (state === 'not-executable') return notExecutable(path);
  const from = isAbsolute(launch.command) ? '' : ` (relative to the working directory "${launch.cwd}")`;
  return startFailure(
    'not-found',
    `Command "${launch.command}"${from} does not exist: correct the path or install the program.`,
  );
}

function notExecutable(path: string): StartFailure {
  return startFailure(
    'not-executable',
    `"${path}" is not a file that this user may execute: run chmod +x on it, or name another command.`,
  );
}

async function fileState(path: string): Promise<'executable' | 'not-executable' | 'absent'> {
  const found = await stat(path).catch(errorCode);
  if (typeof found === 'string') return found === 'EACCES' ? 'not-executable' : 'absent';
  if (!found.isFile()) return 'not-executable';
  const executed = await access(path, constants.X_OK).catch(errorCode);
  return typeof executed === 'string' ? 'not-executable' : 'executable';
}

function errorCode(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message;
}
