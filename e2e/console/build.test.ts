import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const dist = resolve(import.meta.dirname, '../../apps/console/dist');
const read = (file: string): string => readFileSync(join(dist, file), 'utf8');

describe('the console as it is built', () => {
  it('needs at most 200 KB of packed script before the first screen is there', () => {
    const html = read('index.html');
    const initial = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '');
    expect(initial.length).toBeGreaterThan(0);
    const bytes = initial.map((file) => gzipSync(read(file)).length).reduce((sum, size) => sum + size);
    expect(bytes).toBeLessThanOrEqual(200_000);
  });

  it('tells the page which files each screen needs that it loads later, and each is there', () => {
    const content = /<meta name="later-files" content="([^"]*)">/.exec(read('index.html'))?.[1] ?? '';
    const files: Record<string, string[]> = JSON.parse(content.replaceAll('&quot;', '"'));
    const source = resolve(dist, '../src');
    const asked = globSync('**/*.{ts,tsx}', { cwd: source }).flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/\blater\('([^']+)', \(\) => import\('([^']+)'\)\)/g)].map(
        ([, module = '', imported = '']) => {
          expect(join(file, '..', imported)).toBe(module);
          return module;
        },
      ),
    );
    expect(asked.length).toBeGreaterThan(9);
    expect(Object.keys(files).sort()).toEqual([...new Set(asked)].sort());
    for (const [module, needed] of Object.entries(files)) {
      expect(needed.length, module).toBeGreaterThan(0);
      for (const file of needed) expect(read(file).length).toBeGreaterThan(0);
    }
  });

  it('has no script and no style in the page itself, and names no other server', () => {
    const html = read('index.html');
    expect(html.replaceAll(/<script[^>]* src="\/assets\/[^"]+"><\/script>/g, '')).not.toContain('<script');
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:\/\//);
    const styles = globSync('assets/*.css', { cwd: dist }).map(read).join('');
    expect(styles).not.toMatch(/url\(|@import/);
  });
});
