import { execFile, execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Verdict = 'SUCCESS' | 'WARNING' | 'FAILURE';

/** The worst verdict of each check that has one. */
export type Verdicts = Readonly<Record<string, Verdict>>;

export interface ScenarioResult {
  readonly scenario: string;
  readonly verdicts: Verdicts;
  /** What the client wrote to stdout; of server scenarios there is none. */
  readonly stdout: string;
}

const SUITE = fileURLToPath(
  new URL('../agents/node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const FROM_BAD: readonly Verdict[] = ['FAILURE', 'WARNING', 'SUCCESS'];

/** The names of all scenarios that the suite has for one side. */
export function scenariosOf(side: 'client' | 'server'): readonly string[] {
  const listed = execFileSync(process.execPath, [SUITE, 'list', `--${side}`], { encoding: 'utf8' });
  return [...listed.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name as string);
}

/**
 * Runs the MCP conformance suite in the Node of this process. @param args of `conformance`, without where the results go
 * @returns what each scenario that it ran came to; a failed check is a result and no error
 */
export async function runSuite(args: readonly string[], longestMs: number): Promise<readonly ScenarioResult[]> {
  const out = mkdtempSync(join(tmpdir(), 'reeve-conformance-'));
  try {
    const said = await suite([...args, '-o', out], longestMs);
    const results = globSync('**/checks.json', { cwd: out }).map((file) => resultIn(join(out, dirname(file))));
    if (results.length === 0) throw new Error(`the suite gave no result: ${said}`);
    return results;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Its exit code says only whether a check failed. */
function suite(args: readonly string[], timeout: number): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SUITE, ...args], { timeout, maxBuffer: 1 << 26 }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

/** Results lie in folders that are named for their scenario and time; names with a slash are folders themselves. */
function resultIn(folder: string): ScenarioResult {
  const checks = JSON.parse(readFileSync(join(folder, 'checks.json'), 'utf8')) as readonly Check[];
  const scenario = /reeve-conformance-[^/]+\/(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1] ?? folder;
  const [stdout] = globSync('stdout.txt', { cwd: folder });
  return {
    scenario,
    verdicts: worst(checks),
    stdout: stdout === undefined ? '' : readFileSync(join(folder, stdout), 'utf8'),
  };
}

interface Check {
  readonly id: string;
  readonly status: string;
}

function worst(checks: readonly Check[]): Verdicts {
  const verdicts: Record<string, Verdict> = {};
  for (const verdict of FROM_BAD) for (const { id, status } of checks) if (status === verdict) verdicts[id] ??= verdict;
  return verdicts;
}
