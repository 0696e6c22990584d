import { isAbsolute, normalize } from 'node:path';
import { isObject, ReeveError } from '@reeve/protocol';

/** A command that an agent wanted Reeve to run, and that its roots or its sandbox do not let it have. */
export interface CommandRefusal {
  /** `outside`, `root_gone`: the directory; the others: why the sandbox did not start it (StartFailureReason). */
  readonly reason: 'outside' | 'root_gone' | 'bad-root' | 'not-visible' | 'no-sandbox' | 'refused';
  /** The directory that it was to run in, or the program that the sandbox does not show; as the agent named it, absolute. */
  readonly path: string;
}

/** Without what is only missing: a program or directory that is not there is nobody's boundary. */
const REASONS: ReadonlySet<unknown> = new Set<CommandRefusal['reason']>([
  'outside',
  'root_gone',
  'bad-root',
  'not-visible',
  'no-sandbox',
  'refused',
]);
/** Longest path of Linux (PATH_MAX): what is longer names nothing. */
const MAX_PATH = 4096;

/** The refusal that an error of `terminal/create` stands for; undefined for one that no boundary is the reason of. @param cwd where a command runs that names no directory */
export function commandRefusal(params: unknown, error: unknown, cwd: string): CommandRefusal | undefined {
  if (!(error instanceof ReeveError) || !isObject(params)) return undefined;
  const reason = isObject(error.data) ? error.data.reason : undefined;
  if (!REASONS.has(reason)) return undefined;
  const named = [reason === 'not-visible' ? params.command : undefined, params.cwd, cwd];
  const path = named.find((one): one is string => typeof one === 'string' && isAbsolute(one)) ?? cwd;
  return { reason: reason as CommandRefusal['reason'], path: normalize(path.slice(0, MAX_PATH)) };
}
