import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ERRORS } from '@reeve/protocol';
import { loadConfig } from '@reeve/server/config';
import { describe, expect, it } from 'vitest';
import { SCREENSHOTS } from '../e2e/console/screenshots.ts';

const top = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(top, file), 'utf8');

function between(text: string, mark: string): string {
  return text.split(`<!-- ${mark}:begin -->`)[1]?.split(`<!-- ${mark}:end -->`)[0]?.trim() ?? '';
}

function leaves(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}

describe('the documentation', () => {
  it('lists every error with its code, its HTTP status and the next step', () => {
    const rows = Object.entries(ERRORS).map(
      ([name, { code, httpStatus, next }]) => `| \`${name}\` | ${code} | ${httpStatus} | ${next} |`,
    );
    const table = ['| name | code | HTTP | what to do next |', '|---|---|---|---|', ...rows].join('\n');
    expect(between(read('docs/acp.md'), 'errors')).toBe(table);
  });

  it('lists every setting with its default', () => {
    const loaded = loadConfig({ flags: { dataDir: '/data' }, env: { PATH: '' }, file: undefined });
    if (loaded.kind !== 'ok') throw new Error('the defaults are valid');
    const table = between(read('docs/configuration.md'), 'settings');
    const { agents: _agents, dataDir: _dataDir, ...settings } = loaded.config;
    for (const path of leaves(settings, '')) {
      const value = path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], settings);
      expect(table).toContain(`| \`${path}\` | \`${JSON.stringify(value)}\` |`);
    }
    for (const path of ['dataDir', 'defaultAgent', 'agents', 'tls']) expect(table).toContain(`| \`${path}\` |`);
  });

  it('cites version and page for each claim about roots in MCP', () => {
    const [, table = ''] = read('docs/boundary.md').split('| MCP says | where | here |\n|---|---|---|\n');
    const claims = table.slice(0, table.indexOf('\n\n')).split('\n');
    expect(claims.length).toBeGreaterThan(10);
    for (const [index, claim] of claims.entries()) {
      const where = claim.split(' | ')[1];
      expect(where === 'the same' ? claims[index - 1]?.split(' | ')[1] : where).toMatch(
        /modelcontextprotocol\.io\/(?:specification|docs)\/20\d\d-\d\d-\d\d\/[a-z_/]+/,
      );
    }
  });

  it('links only to files that exist', () => {
    const pages = globSync(['*.md', 'docs/*.md'], { cwd: top });
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map((match) => join(dirname(page), match[1] as string))
        .filter((target) => globSync(target, { cwd: top }).length === 0)
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('has a picture of every screen of the console, light and dark, on a desktop and a phone, and shows some', () => {
    const all = SCREENSHOTS.map(({ file }) => file);
    expect(globSync('*', { cwd: join(top, 'docs/screenshots') }).toSorted()).toEqual(all.toSorted());
    for (const page of ['README.md', 'docs/console.md']) expect(read(page)).toMatch(/screenshots\/[a-z-]+\.png/);
  });
});
