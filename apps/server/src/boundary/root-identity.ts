import { realpath, stat } from 'node:fs/promises';
import type { ApprovedPlace } from '@reeve/sandbox';

/** What became of a root: nothing is there, something else is there, or the way there leads elsewhere now. */
export type RootLoss = 'deleted' | 'replaced' | 'moved';

/** What a root was when it was approved: a directory of the same name that is another one is not approved. */
export interface RootIdentity {
  /** Canonical. */
  readonly path: string;
  readonly kind: 'directory' | 'file';
  /** Decimal. Devices are numbered anew at each start of the machine: compared only while `boot` is the same. */
  readonly dev: string;
  /** Decimal. */
  readonly ino: string;
  /** Nanoseconds since the epoch, decimal; `0` where the file system does not tell. Inodes are used again, this is not. */
  readonly born: string;
  /** Names this run of the machine. */
  readonly boot: string;
}

export type RootCheck = { readonly kind: 'same' } | { readonly kind: 'lost'; readonly how: RootLoss };

/** Undefined where nothing is there, or neither a directory nor a file. @param boot names this run of the machine */
export async function identify(path: string, boot: string): Promise<RootIdentity | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (!found || !(found.isDirectory() || found.isFile())) return undefined;
  return {
    path,
    kind: found.isDirectory() ? 'directory' : 'file',
    dev: String(found.dev),
    ino: String(found.ino),
    born: found.birthtimeNs > 0n && process.platform === 'linux' ? String(found.birthtimeNs) : '0',
    boot,
  };
}

/** Whether a root is still what it was, by device and inode (boundary, section 2). */
export async function checkIdentity(known: RootIdentity, boot: string): Promise<RootCheck> {
  const now = await identify(known.path, boot);
  if (!now) return { kind: 'lost', how: 'deleted' };
  if (sameIdentity(known, now)) return { kind: 'same' };
  const leadsTo = await realpath(known.path).catch(() => undefined);
  return { kind: 'lost', how: leadsTo === known.path ? 'replaced' : 'moved' };
}

/** What a process that is about to start must find at the root. @param boot names this run of the machine */
export function approvedPlace({ ino, dev, born, boot: then }: RootIdentity, boot: string): ApprovedPlace {
  return { ino, ...(then === boot ? { dev } : {}), ...(born === '0' ? {} : { born }) };
}

/** Whether two looks at one path found the same directory or file. */
export function sameIdentity(known: RootIdentity, now: RootIdentity): boolean {
  const device = known.boot !== now.boot || known.dev === now.dev;
  return device && known.ino === now.ino && known.born === now.born && known.kind === now.kind;
}
