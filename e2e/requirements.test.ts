import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestReference } from './requirements/requirement.ts';
import { requirements } from './requirements.ts';

const top = resolve(import.meta.dirname, '..');

describe('the promises of Reeve', () => {
  it('are each kept by at least one test', () => {
    expect(requirements.filter(({ tests }) => tests.length === 0).map(({ id }) => id)).toEqual([]);
  });

  it('name tests that exist, by their exact titles', () => {
    const missing = requirements.flatMap(({ id, tests }) =>
      tests.filter((test) => !exists(test)).map(({ file, name }) => `${id}: ${file}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('have ids of their own, a text and a source', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(requirements.filter(({ promise, source }) => promise === '' || source === '')).toEqual([]);
  });

  it('say of every limit and time-out that can be configured what happens at its edge', () => {
    const settings = readFileSync(join(top, 'docs/configuration.md'), 'utf8').matchAll(
      /`((?:limits|timeouts)\.\w+)` \|/g,
    );
    const promised = requirements.map(({ id }) => id).filter((id) => /^(limits|timeouts)\./.test(id));
    expect(promised.toSorted()).toEqual([...settings].map((match) => match[1]).toSorted());
    expect(promised).not.toEqual([]);
  });

  it('make use of every end-to-end test file', () => {
    const named = new Set(requirements.flatMap(({ tests }) => tests.map(({ file }) => file)));
    const files = globSync('e2e/{,console/}*.test.ts', { cwd: top }).map((file) => file.replaceAll('\\', '/'));
    expect(files.filter((file) => !named.has(file) && file !== 'e2e/requirements.test.ts')).toEqual([]);
  });
});

const sources = new Map<string, string>();

function exists({ file, name }: TestReference): boolean {
  const source = sources.get(file) ?? titlesIn(file);
  sources.set(file, source);
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`));
}

function titlesIn(file: string): string {
  const path = join(top, file);
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll(/\$\{[^}]*\}/g, '%s') : '';
}
