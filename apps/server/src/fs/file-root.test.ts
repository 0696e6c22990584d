import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canServeFiles } from '../boundary/open-roots.ts';
import { type FilesRig, openFilesRig } from './session-files.rig.ts';

// Without /proc nothing is served: local-services.ts.
describe.runIf(canServeFiles)('fs/* in a root that is a single file', () => {
  let place: string;
  let notes: string;
  let fixed: string;
  let rig: FilesRig;
  beforeEach(async () => {
    place = await realpath(await mkdtemp(join(tmpdir(), 'reeve-file-root-')));
    [notes, fixed] = [join(place, 'notes.txt'), join(place, 'fixed.txt')];
    for (const path of [notes, fixed, join(place, 'beside')]) await writeFile(path, 'old and longer');
    rig = await openFilesRig(1024, [
      { path: notes, access: 'rw', kind: 'file' },
      { path: fixed, access: 'ro', kind: 'file' },
    ]);
  });
  afterEach(async () => {
    await rig[Symbol.asyncDispose]();
    await rm(place, { recursive: true, force: true });
  });

  it('reads and writes that file and nothing beside or below it', async () => {
    expect(await rig.read(notes)).toBe('old and longer');
    expect(await rig.write(notes, 'new')).toBe('written');
    expect(await rig.read(notes)).toBe('new');
    expect(await rig.read(fixed)).toBe('old and longer');
    expect(await rig.write(fixed, 'new')).toMatchObject({ data: { reason: 'read_only' } });
    for (const path of ['beside', 'new', 'notes.txtx', 'notes.txt/below', 'notes.txt/../beside', '']) {
      expect(await rig.read(join(place, path))).toMatchObject({ data: { reason: 'outside' } });
      expect(await rig.write(join(place, path), 'x')).toMatchObject({ data: { reason: 'outside' } });
    }
    expect(await readdir(place)).toEqual(['beside', 'fixed.txt', 'notes.txt']);
  });

  it('writes the very file that was approved, not another in its place, also through a link', async () => {
    const { ino } = await stat(notes);
    await symlink(notes, join(rig.work, 'link'));
    expect(await rig.write(join(rig.work, 'link'), 'short')).toBe('written');
    expect(await readFile(notes, 'utf8')).toBe('short');
    expect((await stat(notes)).ino).toBe(ino);
    expect(await rig.write(notes, 'longer than it was before')).toBe('written');
    expect(await readFile(notes, 'utf8')).toBe('longer than it was before');
  });

  it('holds the file until it is written, whatever else is opened and closed meanwhile', async () => {
    const [link, other] = [join(rig.work, 'link'), join(rig.work, 'other')];
    await symlink(notes, link);
    await writeFile(other, 'as it was');
    for (let round = 0; round < 50; round += 1) {
      const both = Array.from({ length: 8 }, () => Promise.all([rig.write(link, `round ${round}`), rig.read(other)]));
      expect(new Set((await Promise.all(both)).flat())).toEqual(new Set(['written', 'as it was']));
    }
  });

  it('serves nothing any more once another file, a directory or a link took its place', async () => {
    const gone = { data: { reason: 'root_gone' } };
    await writeFile(join(place, 'next'), 'another');
    await rename(join(place, 'next'), notes);
    expect([await rig.read(notes), await rig.write(notes, 'x')]).toMatchObject([gone, gone]);
    expect(await readFile(notes, 'utf8')).toBe('another');
    await rm(fixed);
    expect(await rig.read(fixed)).toMatchObject(gone);
    await symlink('beside', fixed);
    expect(await rig.read(fixed)).toMatchObject(gone);
    await rm(notes);
    await mkdir(notes);
    expect(await rig.write(join(notes, 'x'), 'x')).toMatchObject({ data: { reason: 'outside' } });
  });

  it('opens no directory, pipe or device that is there instead', async () => {
    await using other = await openFilesRig(1024, [
      { path: place, access: 'rw', kind: 'file' },
      { path: '/dev/zero', access: 'rw', kind: 'file' },
    ]);
    for (const path of [place, '/dev/zero']) {
      expect(await other.read(path)).toMatchObject({ data: { reason: 'root_gone' } });
    }
  });
});
