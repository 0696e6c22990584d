import { lstatSync } from 'node:fs';
import type { ApprovedPlace } from '../approved-place.ts';

/**
 * A directory or file in a read-write root or state directory that is narrower than that by a mount of its own. The kernel takes the mount away where
 * somebody outside replaces or deletes what stands there (rename(2), unlink(2)): what takes its place is as that is.
 */
export interface HeldPlace extends Required<ApprovedPlace> {
  /** Absolute, as seen outside. */
  readonly path: string;
  readonly kind: 'directory' | 'file';
}

/** What stands at each of these now; symlinks and what else is no directory or file are left out. */
export function heldPlaces(paths: Iterable<string>): readonly HeldPlace[] {
  return [...new Set(paths)].flatMap((path) => {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined || !(found.isDirectory() || found.isFile())) return [];
    const { ino, dev, birthtimeNs } = found;
    const kind = found.isDirectory() ? 'directory' : 'file';
    return [{ path, kind, ino: String(ino), dev: String(dev), born: String(birthtimeNs) }];
  });
}
