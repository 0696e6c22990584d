import { join } from 'node:path';
import type { Mount } from './mount.ts';
import { type ChildPlace, openChild, presence } from './open-place.ts';
import type { PassedDescriptors } from './passed-descriptors.ts';

/** A read-write root that is mounted already. */
export interface WritableRoot {
  readonly path: string;
  /** Held open while the mounts are made. */
  readonly descriptor: number;
}

/**
 * Mounts that keep a path below a writable root where it is. A read-only mount alone falls to renaming its parent, since
 * only a mount point itself cannot be renamed: so each directory on the way to it becomes one.
 */
export interface Pins {
  /** Makes the directories on the way to `path` mount points and answers what stands there. */
  pin(path: string): ChildPlace;
  /** The mounts so far, of the directories on the way. */
  readonly mounts: readonly Mount[];
}

export function createPins(root: WritableRoot, passed: PassedDescriptors): Pins {
  const mounts: Mount[] = [];
  const ancestors = new Map<string, number>([['', root.descriptor]]);
  return {
    mounts,
    pin(path) {
      const names = path.slice(root.path.length + 1).split('/');
      let parent = root.descriptor;
      for (const [index, name] of names.entries()) {
        const way = names.slice(0, index + 1).join('/');
        const known = ancestors.get(way);
        if (known !== undefined && index < names.length - 1) {
          parent = known;
          continue;
        }
        const place = openChild(parent, name);
        if (place.kind === 'absent') return place;
        const descriptor = passed.pass(place.descriptor);
        if (index === names.length - 1) return place;
        // Something else stands where a directory is needed, so that nothing can be at the path: a worktree's `.git` file.
        if (place.kind !== 'directory') return { kind: 'absent' };
        ancestors.set(way, place.descriptor);
        mounts.push({ kind: 'bind', path: join(root.path, way), access: 'rw', descriptor });
        parent = place.descriptor;
      }
      return { kind: 'absent' };
    },
  };
}

/** Those of `absent` that exist now: what the process made where nothing was that could be protected. */
export function madeMeanwhile(absent: readonly string[]): readonly string[] {
  return absent.filter((path) => {
    try {
      return presence(path) !== 'absent';
    } catch {
      return true; // Hidden from the server by the process.
    }
  });
}
