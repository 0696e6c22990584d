import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownPlaces } from './own-places.ts';

it('what is Reeve’s own is its data and the compiled code that it chose a directory for, with links followed', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-own-')));
  try {
    for (const name of ['data', 'cache/reeve/compiled']) mkdirSync(join(base, name), { recursive: true });
    symlinkSync('data', join(base, 'link'));
    const [data, code] = [join(base, 'data'), join(base, 'cache/reeve/compiled')];
    expect(ownPlaces(join(base, 'link'), join(code, 'v24-x64'))).toEqual([data, code]);
    expect(ownPlaces(data, undefined)).toEqual([data]);
    expect(ownPlaces(data, join(base, 'node-compile-cache/v24-x64'))).toEqual([data]);
    expect(ownPlaces(join(base, 'none'), undefined)).toEqual([join(base, 'none')]);
  } finally {
    rmSync(base, { recursive: true });
  }
});
