import { resolve } from 'node:path';
import { CallError, type ChangedBoundary } from '@reeve/client';
import { parseIsoTime } from '@reeve/protocol';
import { durationMs } from './duration.ts';
import { CliError } from './exit-codes.ts';
import { safeLine } from './safe-text.ts';

/** A path as it was typed, with the access that stands behind it. */
export interface TypedRoot {
  /** Absolute. */
  readonly path: string;
  readonly access: 'ro' | 'rw' | undefined;
}

/** What people may take for an access. */
const NO_ACCESS = /^(.+):([rwx]{1,3}|ro|rw|wo|read|write|read-?only|read-?write)$/i;

/** `/data:ro`, `docs:rw` or a path alone. Relative ones begin here. Throws a usage error for another access. */
export function readRoot(text: string): TypedRoot {
  const [, path = text, access] = /^(.+):(ro|rw)$/.exec(text) ?? [];
  const [, before, wrong] = access === undefined ? (NO_ACCESS.exec(text) ?? []) : [];
  if (wrong !== undefined) {
    const next = `Write ${before}:ro or ${before}:rw; a path that ends so, ${text}:ro.`;
    throw new CliError('usage', `"${wrong}" is no access: it is ro for reading, or rw for reading and writing`, next);
  }
  return { path: resolve(path), access: access as TypedRoot['access'] };
}

/** A root whose access was told; read only otherwise, which nobody gives by mistake. */
export function readWholeRoot(text: string): { readonly path: string; readonly access: 'ro' | 'rw' } {
  const { path, access = 'ro' } = readRoot(text);
  return { path, access };
}

/** For what names one root: why the directory can be none, in words about that. */
export async function orNoRoot<T>(path: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const [issue] = error instanceof CallError ? issuesOf(error.data) : [];
    if (!(error instanceof CallError) || issue === undefined) throw error;
    throw new CliError('error', `${path} cannot be a root: ${issue}`, error.next);
  }
}

/** What was there instead of what was expected, of each. */
function issuesOf(data: unknown): readonly string[] {
  const issues = typeof data === 'object' && data !== null && 'issues' in data ? data.issues : undefined;
  if (!Array.isArray(issues)) return [];
  return issues.flatMap((issue: { readonly received?: unknown }) =>
    typeof issue?.received === 'string' ? [safeLine(issue.received, 500)] : [],
  );
}

/** `30m`, `2h`, `1d` from now, or a time (ISO 8601), as milliseconds since the epoch. Throws a usage error for anything else. */
export function readExpiry(text: string, now = Date.now()): number {
  const after = durationMs(text);
  const at = after === undefined ? parseIsoTime(text) : now + after;
  if (at !== undefined && Number.isSafeInteger(at) && at > now) return at;
  const next = 'Write how long, such as 30m, 2h or 7d, or a time to come, such as 2030-01-31T18:00Z.';
  throw new CliError('usage', `"${text}" is no time to come`, next);
}

const OUTCOMES = {
  unaffected: 'not affected',
  told: 'was told',
  gone: 'is in the narrower sandbox: what was taken is gone, as was looked up from inside',
  unverified: 'has changed over, but whether what was taken is gone could not be looked up from inside',
  failed: 'could not be brought into it and does not run',
} as const;

/** What became of a change, in lines. */
export function describeChange({ kind, revision, roots, servers }: ChangedBoundary): readonly string[] {
  const what = kind === 'unchanged' ? 'nothing changed' : `boundary, revision ${revision}`;
  return [
    `${what}: ${roots.length === 0 ? 'no roots' : roots.map(({ path, access }) => `${path} (${access})`).join(', ')}`,
    ...servers.map(({ server, result, detail }) => {
      const more = detail === undefined ? '' : ` (${safeLine(detail)})`;
      return `server "${safeLine(server, 64)}" ${OUTCOMES[result] ?? result}${more}`;
    }),
  ].map((line) => safeLine(line, 2000));
}
