import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCwd, findCommand } from './command-path.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'reeve-command-'));
  await mkdir(join(root, 'first', 'agent'), { recursive: true });
  await mkdir(join(root, 'second'));
  await writeFile(join(root, 'second', 'agent'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(root, 'first', 'plain'), 'text');
  await chmod(join(root, 'first', 'plain'), 0o644);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const find = (command: string, env: Record<string, string> = {}) => findCommand({ command, args: [], env, cwd: root });

describe('finding a command', () => {
  it('takes the first executable file on the PATH of the launch, passing by directories', async () => {
    const found = await find('agent', { PATH: `${root}/none:${root}/first:${root}/second` });
    expect(found).toEqual({ kind: 'found', path: join(root, 'second', 'agent') });
  });

  it('resolves relative paths and relative PATH entries against the working directory', async () => {
    const path = join(root, 'second', 'agent');
    expect(await find('./second/agent')).toEqual({ kind: 'found', path });
    expect(await find('agent', { PATH: 'second' })).toEqual({ kind: 'found', path });
  });

  it('says which PATH was searched, and never looks at the PATH of the server', async () => {
    const missing = await find('sh', { PATH: `${root}/first` });
    expect(missing).toMatchObject({ kind: 'failed', reason: 'not-found' });
    expect(missing).toMatchObject({ message: expect.stringContaining(`PATH=${root}/first`) });
    expect(await find('sh')).toMatchObject({ reason: 'not-found', message: expect.stringContaining('no PATH') });
    expect(await find('')).toMatchObject({ reason: 'not-found' });
  });

  it('tells a file without permission from a missing one', async () => {
    expect(await find('plain', { PATH: `${root}/first` })).toMatchObject({ reason: 'not-executable' });
    expect(await find(join(root, 'first', 'plain'))).toMatchObject({
      reason: 'not-executable',
      message: expect.stringContaining('chmod +x'),
    });
    expect(await find(join(root, 'first'))).toMatchObject({ reason: 'not-executable' });
    expect(await find('./gone')).toMatchObject({ reason: 'not-found', message: expect.stringContaining(root) });
  });
});

describe('checking a working directory', () => {
  it('accepts a directory and refuses a relative path, a missing one and a file', async () => {
    expect(await checkCwd(root)).toBeUndefined();
    expect(await checkCwd('first')).toMatchObject({ reason: 'bad-cwd', message: expect.stringContaining('absolute') });
    expect(await checkCwd(join(root, 'gone'))).toMatchObject({ message: expect.stringContaining('ENOENT') });
    expect(await checkCwd(join(root, 'first', 'plain'))).toMatchObject({
      message: expect.stringContaining('directory'),
    });
  });
});
