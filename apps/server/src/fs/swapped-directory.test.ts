import { once } from 'node:events';
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { canServeFiles } from '../boundary/open-roots.ts';
import { type FilesRig, openFilesRig } from './session-files.rig.ts';

/** In CI, and with `REEVE_E2E_SLOW=1`: ten thousand swaps and more against each of the two. */
const slow = process.env.REEVE_E2E_SLOW === '1' || process.env.CI === 'true';
const ROUNDS = slow ? 10_000 : 1_500;

/**
 * Makes `directory` a symbolic link to `outside` and back, as fast as it can, counting in `swaps`. A writer makes the directory anew
 * while it is away: then that is removed.
 */
const SWAPPER = `
  const { workerData: { directory, outside, swaps, stop } } = require('node:worker_threads');
  const { renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
  const insist = (act) => {
    for (;;) {
      try { return act(); } catch (error) {
        if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
        try { rmSync(directory, { recursive: true }); } catch {}
      }
    }
  };
  while (Atomics.load(stop, 0) === 0) {
    renameSync(directory, directory + '.real');
    insist(() => symlinkSync(outside, directory));
    Atomics.add(swaps, 0, 1);
    unlinkSync(directory);
    insist(() => renameSync(directory + '.real', directory));
  }`;

/** Runs `step` while the directory is swapped, until both have happened often enough. */
async function duringSwaps(rig: FilesRig, step: (count: number) => Promise<void>, enough = () => true): Promise<void> {
  const cell = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
  const [swaps, stop] = [cell(), cell()];
  const directory = join(rig.work, 'dir');
  const worker = new Worker(SWAPPER, { eval: true, workerData: { directory, outside: rig.outside, swaps, stop } });
  const ended = once(worker, 'exit');
  try {
    for (let count = 0; Atomics.load(swaps, 0) < ROUNDS || count < ROUNDS || !enough(); count += 1) await step(count);
  } finally {
    Atomics.store(stop, 0, 1);
    expect(await ended).toEqual([0]);
  }
}

async function openSwapRig(): Promise<FilesRig> {
  const rig = await openFilesRig();
  await mkdir(join(rig.work, 'dir'));
  await writeFile(join(rig.work, 'dir', 'secret'), 'inside');
  return rig;
}

// Without /proc nothing is served: local-services.ts.
describe.runIf(canServeFiles)('a directory that is swapped for a link to outside, over and over', () => {
  it('leaks nothing to a reader', async () => {
    await using rig = await openSwapRig();
    const path = join(rig.work, 'dir', 'secret');
    const seen = new Map<unknown, number>();
    await duringSwaps(
      rig,
      async () => {
        const answer = await rig.read(path);
        const what = typeof answer === 'string' ? answer : answer.code;
        seen.set(what, (seen.get(what) ?? 0) + 1);
      },
      () => (seen.get('inside') ?? 0) > 0 && seen.size > 1,
    );
    expect(seen.get('outside')).toBeUndefined();
    expect(seen.get('inside')).toBeGreaterThan(0);
  });

  it('lets no writer out', async () => {
    await using rig = await openSwapRig();
    let written = 0;
    let refused = 0;
    await duringSwaps(
      rig,
      async (count) => {
        const name = count % 2 === 0 ? 'secret' : `sub-${count % 50}/new`;
        const answer = await rig.write(join(rig.work, 'dir', name), 'from inside');
        if (answer === 'written') written += 1;
        else refused += 1;
      },
      () => written > 0 && refused > 0,
    );
    expect(await readdir(rig.outside)).toEqual(['secret']);
    expect(await readFile(join(rig.outside, 'secret'), 'utf8')).toBe('outside');
  });

  it('would leak to a reader that checks the path and then opens it', async () => {
    await using rig = await openSwapRig();
    const path = join(rig.work, 'dir', 'secret');
    let leaked = 0;
    await duringSwaps(
      rig,
      async () => {
        const checked = await realpath(path).catch(() => '');
        if (!checked.startsWith(`${rig.work}/`)) return;
        if ((await readFile(path, 'utf8').catch(() => '')) === 'outside') leaked += 1;
      },
      () => leaked > 0,
    );
    expect(leaked).toBeGreaterThan(0);
  });
});
