import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

/** What setpriv and the kernel can take away together. */
export interface LandlockReach {
  /** Path of setpriv. */
  readonly setpriv: string;
  /** TCP: binding and connecting. */
  readonly network: boolean;
  /** Signals and abstract unix sockets. */
  readonly scope: boolean;
}

export type LandlockProbe =
  | ({ readonly kind: 'usable' } & LandlockReach)
  | { readonly kind: 'unusable'; readonly reason: string };

const places = ['/usr/bin/setpriv', '/bin/setpriv', '/run/current-system/sw/bin/setpriv'];
const deadlineMs = 3_000;

/**
 * Whether setpriv can apply landlock here, found by doing it. Without `truncate` (Linux 6.2) files outside of the boundary
 * could be emptied, and without `refer` (5.19) nothing moved between directories: then it is of no use.
 */
export async function probeLandlock(setpriv: string | undefined = places.find(isExecutable)): Promise<LandlockProbe> {
  if (process.platform !== 'linux') return { kind: 'unusable', reason: 'landlock needs Linux' };
  if (setpriv === undefined) return { kind: 'unusable', reason: 'setpriv of util-linux is not installed' };
  const files = await attempt(setpriv, [
    ...['--landlock-access', 'fs:execute,write-file,read-file,truncate,refer'],
    ...['--landlock-rule', 'path-beneath:execute,read-file:/'],
    ...['--', '/bin/sh', '-c', 'true; { : >>/dev/null; } 2>/dev/null && exit 7; exit 0'],
  ]);
  if (files !== undefined) return { kind: 'unusable', reason: `landlock cannot be applied here (${files})` };
  const [network, scope] = await Promise.all(
    ['net', 'scope'].map(async (access) => {
      return (await attempt(setpriv, ['--landlock-access', access, '--', '/bin/sh', '-c', 'true'])) === undefined;
    }),
  );
  return { kind: 'usable', setpriv, network: network === true, scope: scope === true };
}

/** Undefined when it worked, else why not. */
function attempt(setpriv: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(setpriv, args, { timeout: deadlineMs, env: {} }, (error, _stdout, stderr) => {
      if (error === null) resolve(undefined);
      else if (error.code === 7) resolve('it was applied without effect');
      else if (/unrecognized option/.test(stderr)) resolve('this setpriv knows no landlock: util-linux 2.41 does');
      else resolve(stderr.trim().split('\n').at(0) || `setpriv ended with ${error.code ?? error.signal}`);
    });
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
