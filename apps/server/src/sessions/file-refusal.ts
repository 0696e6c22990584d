import { isAbsolute, normalize } from 'node:path';
import { isObject, ReeveError } from '@reeve/protocol';
import type { FileMethod } from '../fs/session-files.ts';

/** A file that an agent asked for and that its roots do not let it have. */
export interface FileRefusal {
  readonly method: FileMethod;
  readonly reason: 'outside' | 'read_only' | 'protected' | 'root_gone';
  /** As the agent named it; absolute. */
  readonly path: string;
}

const REASONS: ReadonlySet<unknown> = new Set<FileRefusal['reason']>([
  'outside',
  'read_only',
  'protected',
  'root_gone',
]);
/** Longest path of Linux (PATH_MAX): what is longer names nothing. */
const MAX_PATH = 4096;

/** The refusal that an error of `fs/*` stands for; undefined for one that no root is the reason of. */
export function fileRefusal(method: FileMethod, params: unknown, error: unknown): FileRefusal | undefined {
  if (!(error instanceof ReeveError)) return undefined;
  const reason = isObject(error.data) ? error.data.reason : undefined;
  const path = isObject(params) ? params.path : undefined;
  if (!REASONS.has(reason) || typeof path !== 'string' || !isAbsolute(path)) return undefined;
  return { method, reason: reason as FileRefusal['reason'], path: normalize(path.slice(0, MAX_PATH)) };
}
