import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const top = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(top, file), 'utf8');
const manifest = (file: string) =>
  JSON.parse(read(file)) as { scripts?: Record<string, string>; dependencies?: Record<string, string> };

/** What `npm start` and `npm test` need on a machine that has nothing but some Node and npm. */
describe('a fresh machine', () => {
  it('is set up by the two commands themselves', () => {
    const { scripts = {} } = manifest('package.json');
    for (const name of ['start', 'test', 'check', 'bench'])
      expect(scripts[`pre${name}`]).toContain('scripts/setup.mjs');
    expect(read('.ci/run')).toContain('npm test');
  });

  it('gets the Node that Reeve needs from npm, at an exact version', () => {
    expect(manifest('package.json').dependencies?.node).toMatch(/^2[4-9]\.\d+\.\d+$/);
    expect(manifest('apps/cli/package.json').dependencies?.node).toBe(manifest('package.json').dependencies?.node);
  });

  it('runs nothing before that which an older Node cannot read', () => {
    for (const file of [...globSync('scripts/*.mjs', { cwd: top }), 'apps/cli/bin/reeve.js']) {
      const imported = [...read(file).matchAll(/^import .*from '([^']+)'/gm)].map((match) => match[1] ?? '');
      expect(imported.filter((specifier) => !specifier.startsWith('node:'))).toEqual([]);
    }
  });

  it('is not made to install the agents of the tests in order to serve', () => {
    const agents = Object.keys(manifest('e2e/agents/package.json').dependencies ?? {});
    expect(agents.length).toBeGreaterThanOrEqual(3);
    const root = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> };
    expect(agents.filter((name) => `node_modules/${name}` in root.packages)).toEqual([]);
    expect(read('e2e/agents/package-lock.json')).toContain('"lockfileVersion"');
  });

  // Only where the machine has a Node of its own beside the one from npm.
  const own = otherNode();
  it.runIf(own)('runs the command line by a Node that is too old to run it itself', () => {
    const run = spawnSync(own as string, [join(top, 'apps/cli/bin/reeve.js'), '--version'], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});

/** A Node on the PATH that is older than 24. */
function otherNode(): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).filter((place) => !place.includes('node_modules'));
  return places
    .map((place) => join(place, 'node'))
    .find((node) => /^v(18|2[0-3])\./.test(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''));
}
