/** Where a setting came from. */
export type Origin = 'default' | 'file' | 'flag' | 'env';

/** One thing that is wrong with the configuration. Nothing in it is a secret. */
export interface ConfigProblem {
  /** `agents.claude.args[0]`; empty for the file as a whole. */
  readonly path: string;
  /** The flag or variable that said it, or the file. */
  readonly source: string;
  /** Both count from 1; only for what stands in the file. */
  readonly line?: number;
  readonly column?: number;
  readonly expected: string;
  readonly came: string;
  readonly mend: string;
}

/** `reeve.jsonc:3:11: port: expected …, came …. Next: …` */
export function describeProblem(problem: ConfigProblem): string {
  const place = problem.line === undefined ? problem.source : `${problem.source}:${problem.line}:${problem.column}`;
  const path = problem.path === '' ? '' : `${problem.path}: `;
  return `${place}: ${path}expected ${problem.expected}, came ${problem.came}. ${problem.mend}`;
}

/** `['agents', 'a b', 'args', 0]` → `agents["a b"].args[0]` */
export function pathText(path: readonly PropertyKey[]): string {
  let written = '';
  for (const step of path) {
    if (typeof step === 'number') written += `[${step}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(String(step)))
      written += written === '' ? String(step) : `.${String(step)}`;
    else written += `[${JSON.stringify(String(step))}]`;
  }
  return written;
}

/** Names of what may hold a secret. */
const SECRET = ['env', 'headers', 'url'];

/** What came, short, and without its text where that may be a secret. */
export function cameText(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (SECRET.some((name) => path.includes(name))) return typeof value === 'string' ? 'text' : `a ${typeof value}`;
  const shown = JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}
