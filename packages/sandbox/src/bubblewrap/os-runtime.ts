import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isWithin } from './mount.ts';

/** The programs and libraries of this machine, as they are shown read-only at the same place inside. */
export interface OsRuntime {
  /** Existing directories. */
  readonly directories: readonly string[];
  /** Links such as /bin and /etc/os-release, which point into the directories. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

const topDirectories = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/**
 * What programs look up in /etc to run at all: alternatives, the loader, certificates, names, time. Each is shown where
 * it exists; what does not exist is absent inside too, since some programs stop at a file that they may not read.
 */
export const etcPieces: readonly string[] = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ssl/certs',
  '/etc/ssl/cert.pem',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates',
  '/etc/pki/tls/certs',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/openssl.cnf',
  '/etc/pki/ca-trust/extracted',
  '/etc/crypto-policies',
  '/etc/nsswitch.conf',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/services',
  '/etc/protocols',
  '/etc/os-release',
  '/etc/fonts',
];

/** What resolves names; shown with the full network only. */
export const resolverPieces: readonly string[] = ['/etc/resolv.conf', '/etc/hosts', '/etc/host.conf', '/etc/gai.conf'];

export function readOsRuntime(): OsRuntime {
  const directories: string[] = [];
  const links: { path: string; target: string }[] = [];
  for (const path of topDirectories) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) links.push({ path, target: readlinkSync(path) });
    else if (found?.isDirectory()) directories.push(path);
  }
  for (const path of etcPieces) {
    const target = linkInto(path, '/usr');
    if (target !== undefined) links.push({ path, target });
  }
  return { directories, links };
}

/** What the symlink `path` says, if it leads into `directory`: a link costs less than a mount. */
function linkInto(path: string, directory: string): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  const target = readlinkSync(path);
  return isWithin(resolve(dirname(path), target), directory) ? target : undefined;
}
