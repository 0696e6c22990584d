import { createHmac } from 'node:crypto';
import { posix } from 'node:path';
import type { RiskClass } from '@reeve/policy';
import type { SealedPath } from './path-seal.ts';

/** What kind of place a path is: a class of risk, or `never` where no root may be (boundary, section 2). */
export type PlaceClass = RiskClass | 'never';

/** A path as the audit log has it: what can be asked about it, without the path itself. */
export interface PlaceLabel {
  readonly label: string;
  /** Of every directory above it, the nearest first, without `/`. */
  readonly above: readonly string[];
  /** Number of directories from `/`: that of `/home/a` is 2. */
  readonly depth: number;
  readonly class: PlaceClass;
  /** Of the work tree of git that encloses it. */
  readonly repository?: string;
  readonly access?: 'ro' | 'rw';
  /** The path itself, for who has the key. */
  readonly sealed?: SealedPath;
}

/** Half of the HMAC is plenty to tell paths apart, and to be no help to who would guess them without the key. */
const LABEL_BYTES = 16;

/** `path`: absolute, without `.`, `..` and double slashes; see `plainPath`. */
export function labelOf(key: Uint8Array, path: string): string {
  return createHmac('sha256', key).update(path).digest().subarray(0, LABEL_BYTES).toString('base64url');
}

export function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1;
}

/** The nearest first, without `/`. */
export function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = posix.dirname(path); at !== '/'; at = posix.dirname(at)) above.push(at);
  return above;
}

/** One spelling for each absolute path, without asking the file system; undefined for a path that is not absolute. */
export function plainPath(path: string): string | undefined {
  if (!path.startsWith('/') || path.includes('\0')) return undefined;
  const plain = posix.normalize(path.toWellFormed());
  return plain.length > 1 && plain.endsWith('/') ? plain.slice(0, -1) : plain;
}
