import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openChromium } from './open-console.ts';

const top = resolve(import.meta.dirname, '../..');
/** A server is started, and a page opened for every picture. */
const SLOW_MS = 600_000;
const PNG = '89504e470d0a1a0a';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'reeve-screenshots-'));
  writeFileSync(join(base, 'file'), 'kept');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function screenshots(...args: readonly string[]) {
  const child = spawn(process.execPath, [join(top, 'e2e/console/write-screenshots.ts'), ...args], {
    cwd: base,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: SLOW_MS,
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      said[name] += chunk.toString();
    });
  }
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...said };
}

/** The header chunk of a PNG says how many pixels wide and high it is (PNG, 11.2.1). */
function pixels(png: Buffer): string {
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

interface Looks {
  /** The mean of its pixels, 0 (black) to 1 (white). */
  readonly brightness: readonly number[];
  /** Of the two that are most alike: which they are, and the share of their pixels that differ. */
  readonly alike: { readonly pair: readonly [number, number]; readonly share: number };
}

/** How pictures of one size look; in the browser, which can read them. */
const LOOK = `async (pictures) => {
  const drawn = await Promise.all(pictures.map(async (base64) => {
    const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + base64)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    return Float32Array.from({ length: data.length / 4 }, (_, at) => (data[4 * at] + data[4 * at + 1] + data[4 * at + 2]) / 765);
  }));
  const brightness = drawn.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  const pairs = drawn.flatMap((one, i) => drawn.slice(0, i).map((other, j) => {
    let differing = 0;
    for (let at = 0; at < one.length; at++) if (Math.abs(one[at] - other[at]) > 0.02) differing++;
    return { pair: [j, i], share: differing / one.length };
  }));
  return { brightness, alike: pairs.sort((a, b) => a.share - b.share)[0] };
}`;

describe('npm run screenshots', () => {
  it(
    'writes the pictures of docs/screenshots into a directory: each of its size and theme, and of its own screen',
    async () => {
      const run = await screenshots('made/anew');
      expect([run.code, run.stderr]).toEqual([0, '']);
      const directory = join(base, 'made/anew');
      const files = readdirSync(directory).toSorted();
      expect(files).toEqual(readdirSync(join(top, 'docs/screenshots')).toSorted());

      await using browser = await openChromium();
      const page = await browser.newPage();
      const sizes = { desktop: '1280x800', phone: '390x844' } as const;
      for (const [size, of] of Object.entries(sizes)) {
        for (const theme of ['light', 'dark']) {
          const names = files.filter((file) => file.endsWith(`-${size}-${theme}.png`));
          const pictures = names.map((name) => readFileSync(join(directory, name)));
          expect(pictures.map((png) => [png.toString('hex', 0, 8), pixels(png)])).toEqual(names.map(() => [PNG, of]));
          const encoded = JSON.stringify(pictures.map((png) => png.toString('base64')));
          const { brightness, alike } = await page.evaluate<Looks>(`(${LOOK})(${encoded})`);
          const bright = brightness.map((value) => (value > 0.5 ? 'light' : 'dark'));
          expect(bright, names.join(' ')).toEqual(names.map(() => theme));
          expect(alike.share, alike.pair.map((at) => names[at]).join(' ')).toBeGreaterThan(0.05);
        }
      }
    },
    SLOW_MS,
  );

  it.each([
    ['a file', ['file'], /file is no directory.*name one that is there or can be made/],
    ['a place below a file', ['file/below'], /below is no directory/],
    ['two directories', ['one', 'two'], /Name one directory/],
    ['a flag', ['--out=one'], /Name one directory, or none for docs\/screenshots/],
  ])('ends with 2, says what to do and takes no picture where it is given %s', async (_what, args, said) => {
    const before = readdirSync(base);
    const { code, stdout, stderr } = await screenshots(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(said);
    expect(readdirSync(base)).toEqual(before);
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('kept');
  });
});
