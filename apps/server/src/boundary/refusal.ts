import { ReeveError } from '@reeve/protocol';

/**
 * The same for what exists out there and what does not: an agent learns nothing of it. Also the answer to a symbolic link that leads
 * nowhere, since where it leads is not ours to tell.
 */
export function outside(path: string): ReeveError {
  return new ReeveError('forbidden', {
    message: `${shown(path)} is outside the roots of this session, or a symbolic link there leads outside or nowhere`,
    data: { path: shown(path), reason: 'outside' },
  });
}

export function readOnly(path: string): ReeveError {
  return new ReeveError('forbidden', {
    message: `${shown(path)} is read-only in this session: write below a root that is read-write`,
    data: { path: shown(path), reason: 'read_only' },
  });
}

/** @param name the protected path as the sandbox names it, such as `.git/hooks` */
export function protectedPath(path: string, name: string): ReeveError {
  return new ReeveError('forbidden', {
    message: `${shown(path)} is protected: ${name} decides what other tools run, so a person has to change it`,
    data: { path: shown(path), reason: 'protected' },
  });
}

export function rootGone(root: string): ReeveError {
  return new ReeveError('forbidden', {
    message: `the root ${shown(root)} was moved, replaced or deleted since the session began: put it back, or begin a new session`,
    data: { path: shown(root), reason: 'root_gone' },
  });
}

export function changedMeanwhile(path: string): ReeveError {
  return new ReeveError('conflict', {
    message: `${shown(path)} was moved or replaced at this very moment`,
    data: { details: 'try again', path: shown(path) },
  });
}

/** What agents take for ENOENT (ACP, error codes: resource not found). */
export function fileNotFound(path: string): ReeveError {
  return new ReeveError('not_found', {
    message: `Resource not found: ${shown(path)} does not exist (ENOENT)`,
    data: { uri: path, path },
  });
}

export function badParams(message: string): ReeveError {
  return new ReeveError('invalid_params', { message });
}

/** The error of a system call on something inside the roots. */
export function systemRefusal(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return fileNotFound(path);
    case 'ENOTDIR':
      return badParams(`${shown(path)}: a part of the path is not a directory`);
    case 'EISDIR':
      return badParams(`${shown(path)} is a directory: name a file`);
    case 'ENAMETOOLONG':
      return badParams('the path is longer than the file system takes');
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ReeveError('forbidden', {
        message: `${shown(path)}: the operating system refuses it to the server (${code}); check its owner and mode`,
        data: { path: shown(path), reason: 'system' },
      });
    case 'EMFILE':
    case 'ENFILE':
      return new ReeveError('overloaded', { message: 'the server has no file descriptor left; try again later' });
    case 'ENOSPC':
    case 'EDQUOT':
      return new ReeveError('internal_error', {
        message: `${shown(path)} could not be written: the disk is full (${code})`,
        data: { details: 'free some space, then try again' },
      });
    default:
      return error;
  }
}

function shown(path: string): string {
  return path.length > 500 ? `${path.slice(0, 500)}…` : path;
}
