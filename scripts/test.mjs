// `npm test`: types, lint, format, then every test. The last line is `N passed, N failed, N skipped`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const out = mkdtempSync(join(tmpdir(), 'reeve-test-'));
const report = join(out, 'report.json');
const filters = process.argv.slice(2);

function step(name, command, args) {
  const done = spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (done.status !== 0) console.error(`reeve: ${name} failed (exit ${done.status ?? done.signal})`);
  return done.status === 0;
}

const checksPass =
  filters.length > 0 ||
  [
    step('types', 'tsc', ['-p', '.']),
    step('types of the console', 'tsc', ['-p', 'apps/console']),
    step('lint', 'biome', ['check', '.']),
  ].every(Boolean);
const testsPass = step('tests', 'vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...filters,
]);

let passed = 0;
let failed = 0;
let skipped = 0;
try {
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed = result.numPassedTests;
  failed = result.numFailedTests;
  skipped = result.numPendingTests + result.numTodoTests;
} catch {
  console.error('reeve: the test run left no report');
}
rmSync(out, { recursive: true, force: true });
if (!checksPass || (!testsPass && failed === 0)) failed += 1;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);
