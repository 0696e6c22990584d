import { expect, it } from 'vitest';
import { bubblewrapFailure, neverExecuted } from './bubblewrap-failure.ts';

it.each([
  [
    'bwrap: No permissions to creating new namespace, likely because the kernel does not allow …',
    'no-sandbox',
    /doctor/,
  ],
  ['bwrap: setting up uid map: Permission denied', 'no-sandbox', /doctor/],
  ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', 'no-sandbox', /doctor/],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'no-sandbox', /doctor/],
  ['bwrap: Unknown option --bind-fd', 'no-sandbox', /newer/],
  ['bwrap: Race condition binding dirfd', 'bad-root', /start again/],
  [
    "bwrap: Can't bind mount /oldroot/srv/a on /newroot/srv/a: Unable to mount source on destination: No such file or directory",
    'bad-root',
    /start again/,
  ],
  ["bwrap: Can't find source path /p: No such file or directory", 'bad-root', /start again/],
  ["bwrap: Can't chdir to /p: No such file or directory", 'bad-cwd', /within the roots/],
  ['bwrap: execvp /p/agent: No such file or directory', 'not-visible', /interpreter/],
  ['prlimit: failed to execute /p/agent: No such file or directory', 'not-visible', /interpreter/],
  ['bwrap: execvp /p/agent: Permission denied', 'not-executable', /permissions/],
  ['bwrap: something else', 'refused', /something else/],
  ['', 'refused', /doctor/],
])('what bubblewrap says becomes a failure with its next step: %s', (said, reason, message) => {
  expect(bubblewrapFailure(`noise\n${said}\n`, 'agent')).toMatchObject({
    kind: 'failed',
    reason,
    message: expect.stringMatching(message),
  });
});

it('tells a stage that could not go on from a program that ends with the same code', () => {
  const said = 'reeve: the sandbox cannot execute the command it was to run: …\n';
  expect(neverExecuted(126, said)).toBe(true);
  expect(neverExecuted(127, 'prlimit: failed to execute /p/agent: No such file or directory\n')).toBe(true);
  expect(neverExecuted(1, said)).toBe(false);
  expect(neverExecuted(127, 'sh: 1: nothing: not found\n')).toBe(false);
  expect(neverExecuted(null, said)).toBe(false);
});
