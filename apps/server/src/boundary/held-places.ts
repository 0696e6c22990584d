import type { Enforcement, HeldPlace } from '@reeve/sandbox';
import { KeptRoots, type RootTurn } from './kept-roots.ts';

/** Names the run of the machine that a process lives in, which is one. */
const BOOT = 'now';

export interface HeldPlacesOptions {
  /** As they were when the process was started. */
  readonly places: readonly HeldPlace[];
  readonly maxWatched: number;
  readonly checkMs: number;
  /** What stood at these is not there any more: the process may write what takes its place, until its end. */
  readonly onLoosened: (places: readonly RootTurn[]) => void;
}

/** Looks after what the sandbox of a process protects in its read-write roots, as after roots. Each is told once. */
export function watchHeldPlaces({ places, maxWatched, checkMs, onLoosened }: HeldPlacesOptions): KeptRoots {
  const told = new Set<string>();
  const kept = new KeptRoots({
    boot: BOOT,
    maxWatched,
    checkMs,
    onChange: (turns) => {
      const loosened = turns.filter(({ path, how }) => how !== undefined && !told.has(path));
      for (const { path } of loosened) told.add(path);
      if (loosened.length > 0) onLoosened(loosened);
    },
  });
  kept.keep(places.map((place) => ({ ...place, boot: BOOT })));
  return kept;
}

/** What holds a process whose sandbox does not protect these any more. */
export function loosenedBy<Held extends Enforcement>(enforcement: Held, places: readonly RootTurn[]): Held {
  const gaps = places.map(
    ({ path }) =>
      `files: "${path}" was replaced from outside: the process can write what has that name until it is started again`,
  );
  const fs = enforcement.fs === 'enforced' ? 'partial' : enforcement.fs;
  return { ...enforcement, fs, gaps: [...enforcement.gaps, ...gaps] };
}
