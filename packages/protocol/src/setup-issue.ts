import type { JsonObject } from './json-rpc.ts';

/** One thing wrong with the params of a request that sets up a session. Shown to clients: never holds a secret. */
export interface SetupIssue {
  /** `cwd`, `mcpServers[0].env[1].value`; empty for the params themselves. */
  readonly path: string;
  readonly expected: string;
  /** What came instead, shortened; only its type where it may be a secret. */
  readonly received: string;
  /** What to send instead. */
  readonly fix: string;
}

export type Report = (issue: SetupIssue) => void;

/** More than that help nobody, and a list of a million wrong entries must not become an answer as long. */
const MAX_ISSUES = 20;
const MAX_SHOWN = 60;

/** A list that takes the first 20 issues reported to it. */
export function collectIssues(): { readonly issues: readonly SetupIssue[]; readonly report: Report } {
  const issues: SetupIssue[] = [];
  const report: Report = (issue) => {
    if (issues.length < MAX_ISSUES) issues.push(issue);
  };
  return { issues, report };
}

/** The `data` of the -32602 that answers them. */
export function setupErrorData(issues: readonly SetupIssue[]): JsonObject {
  return { summary: issues.map(issueText).join('; '), issues };
}

function issueText({ path, expected, received, fix }: SetupIssue): string {
  return `${path === '' ? 'params' : path}: ${expected}, was ${received}: ${fix}`;
}

/** What a value is, with a beginning of it: `missing`, `null`, `"src"`, `array of 2`. */
export function shown(value: unknown): string {
  if (typeof value !== 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeShown(value);
  return value.length > MAX_SHOWN ? `${JSON.stringify(value.slice(0, MAX_SHOWN))}…` : JSON.stringify(value);
}

/** What a value is, without anything of it. */
export function typeShown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array of ${value.length}`;
  return value === '' ? 'empty' : typeof value;
}
