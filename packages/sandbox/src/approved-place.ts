import { type BigIntStats, lstatSync } from 'node:fs';
import { type StartFailure, startFailure } from './start-failure.ts';

/** What a root was when it was approved: another directory or file under its path is not approved. */
export interface ApprovedPlace {
  /** Decimal. */
  readonly ino: string;
  /** Decimal; left out where devices have been numbered anew since. */
  readonly dev?: string;
  /** Nanoseconds since the epoch, decimal; left out where the file system does not tell. Inodes are used again, this is not. */
  readonly born?: string;
}

/** Whether what was found is what was approved; anything is where nobody says what that was. */
export function isApproved(approved: ApprovedPlace | undefined, { ino, dev, birthtimeNs }: BigIntStats): boolean {
  if (approved === undefined) return true;
  const { ino: known, dev: device = String(dev), born = String(birthtimeNs) } = approved;
  return known === String(ino) && device === String(dev) && born === String(birthtimeNs);
}

/** For a backend that opens roots by path: refuses what is there by now. What is swapped after this is followed. */
export function replacedRoot(
  roots: readonly { readonly path: string; readonly approved?: ApprovedPlace }[],
): StartFailure | undefined {
  for (const { path, approved } of roots) {
    if (approved === undefined) continue;
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found !== undefined && !isApproved(approved, found)) return notApproved(path);
  }
  return undefined;
}

export function notApproved(path: string): StartFailure {
  return startFailure(
    'bad-root',
    `Root "${path}" was replaced, and is not what was approved any more: approve it again by naming it in the boundary of the session ("reeve roots approve"), or put the old one back. Nothing was started.`,
  );
}
