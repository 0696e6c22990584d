import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPackagePins } from './package-pins.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reeve-pins-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pin = { version: '1.2.3', integrity: 'sha512-x' };

describe('the pins of packages', () => {
  it('are found again by fingerprint and package, also by another server', async () => {
    const file = join(folder, 'deep', 'pins.json');
    const pins = openPackagePins(file);
    await Promise.all([pins.keep('a', 'x@latest', pin), pins.keep('b', 'x@latest', { ...pin, version: '2.0.0' })]);
    const again = openPackagePins(file);
    expect(await again.find('a', 'x@latest')).toEqual(pin);
    expect(await again.find('b', 'x@latest')).toMatchObject({ version: '2.0.0' });
    expect(await again.find('a', 'x@next')).toBeUndefined();
    expect(readdirSync(join(folder, 'deep'))).toEqual(['pins.json']);
  });

  it('are gone with the server that they are of', async () => {
    const file = join(folder, 'pins.json');
    const pins = openPackagePins(file);
    await pins.forget('a');
    await Promise.all([pins.keep('a', 'x', pin), pins.keep('a', 'y', pin), pins.keep('ab', 'x', pin)]);
    await pins.forget('a');
    expect(await pins.find('a', 'x')).toBeUndefined();
    expect(await openPackagePins(file).find('a', 'y')).toBeUndefined();
    expect(await pins.find('ab', 'x')).toEqual(pin);
  });

  it.each(['', 'null', '{', '{"a x": 1}', '{"a x": {"version": 1, "integrity": "y"}}'])(
    'are none in a file that says %j',
    async (text) => {
      const file = join(folder, 'pins.json');
      writeFileSync(file, text);
      const pins = openPackagePins(file);
      expect(await pins.find('a', 'x')).toBeUndefined();
      expect(await pins.find('a', 'toString')).toBeUndefined();
      await pins.keep('a', 'x', pin);
      expect(await pins.find('a', 'x')).toEqual(pin);
    },
  );
});
