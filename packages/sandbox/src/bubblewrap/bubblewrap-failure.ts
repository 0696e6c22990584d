import { type StartFailure, startFailure } from '../start-failure.ts';

/** What bubblewrap could not do, told from what it wrote on stderr (bubblewrap.c), in words that say the next step. */
export function bubblewrapFailure(stderr: string, command: string): StartFailure {
  const said = lastWords(stderr);
  if (stageFailed.test(stderr)) return notShown(command);
  if (noNamespaces.test(said)) {
    return startFailure('no-sandbox', `This system does not let the sandbox be built (${said}). Run "reeve doctor".`);
  }
  if (/Unknown option/.test(said)) {
    return startFailure(
      'no-sandbox',
      `This bubblewrap is too old (${said}): install version 0.8 of Debian 12 or a newer one.`,
    );
  }
  if (rootMoved.test(said)) {
    return startFailure(
      'bad-root',
      `A root of the boundary was moved or replaced while the sandbox was built (${said}): start again.`,
    );
  }
  if (/Can't chdir to/.test(said)) {
    return startFailure(
      'bad-cwd',
      `The working directory cannot be entered inside the sandbox (${said}): choose one within the roots.`,
    );
  }
  if (/execvp .*No such file/.test(said)) {
    return notShown(command);
  }
  if (/execvp/.test(said)) {
    return startFailure(
      'not-executable',
      `"${command}" may not be executed in the sandbox (${said}): check its permissions.`,
    );
  }
  return startFailure(
    'refused',
    `The sandbox could not be built${said === '' ? '' : ` (${said})`}. Nothing was started; run "reeve doctor".`,
  );
}

function notShown(command: string): StartFailure {
  return startFailure(
    'not-visible',
    `"${command}" cannot be executed in the sandbox: the interpreter in its first line, or its loader, is not shown inside. Add it to "sandbox.readOnly" of its entry.`,
  );
}

/** Whether `stderr` says that the system forbids what every sandbox needs: namespaces, their maps, a /proc of their own. */
export const noNamespaces =
  /creat\w* (?:a )?new namespace|uid map|gid map|setgroups|loopback: Failed|unshare user ns|Failed to make .* slave|Can't mount proc|pivot_root|max_user_namespaces/i;

/** What bubblewrap says when a place that it was given is another one, or nowhere, by the time that it is mounted. */
const rootMoved =
  /Race condition binding|Can't find source path|Can't get type of source|Unable to mount source on destination: No such file/;

/** What a stage between bubblewrap and the program says, in the words of the gate (egress/) or of prlimit, when it cannot go on. */
const stageFailed = /^reeve: the sandbox cannot execute|^prlimit: failed to execute/m;

/** Whether a program that ended with `code` was none: what should have become it could not be executed. */
export function neverExecuted(code: number | null, stderr: string): boolean {
  return (code === 126 || code === 127) && stageFailed.test(stderr);
}

function lastWords(stderr: string): string {
  const line = stderr.split('\n').findLast((text) => text.startsWith('bwrap: '));
  return line?.slice('bwrap: '.length).trim() ?? '';
}
