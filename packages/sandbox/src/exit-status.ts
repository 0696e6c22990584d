import { constants } from 'node:os';

/** How the leader ended: exactly one of the two is not null. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number as number, name]));

/**
 * What became of a program whose end was passed on by bubblewrap, which like a shell tells a death by signal n as exit
 * code 128 + n. A program that itself exits with such a code means the same by it.
 */
export function passedOnExit(code: number | null, signal: string | null): ProcessExit {
  const name = code === null ? undefined : names.get(code - 128);
  return name === undefined ? { code, signal } : { code: null, signal: name };
}
