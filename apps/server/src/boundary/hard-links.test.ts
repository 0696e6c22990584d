import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasHardLinks } from './hard-links.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reeve-links-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('a second name of a file', () => {
  it('is found below a directory, as far as may be looked', async () => {
    mkdirSync(join(base, 'deep'));
    writeFileSync(join(base, 'deep/one'), '');
    expect(await hasHardLinks(base, 100, { left: 100 })).toBe(false);
    linkSync(join(base, 'deep/one'), join(base, 'deep/two'));
    expect(await hasHardLinks(base, 100, { left: 100 })).toBe(true);
    expect(await hasHardLinks(base, 100, { left: 1 })).toBe(false);
  });

  it.runIf(process.platform === 'linux')('is looked for in what goes away meanwhile, or cannot be read', async () => {
    expect(await hasHardLinks('/proc', 20_000, { left: 20_000 })).toBeTypeOf('boolean');
  });
});
