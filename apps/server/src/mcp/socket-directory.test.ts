import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSocketDirectory } from './socket-directory.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'reeve-sockets-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

/** What a server leaves that is killed. */
async function leftOver(): Promise<string> {
  const program = `
    import { openSocketDirectory } from ${JSON.stringify(new URL('./socket-directory.ts', import.meta.url).href)};
    console.log((await openSocketDirectory(${JSON.stringify(parent)})).path);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  return line.toString().trim();
}

it('is removed when it is done with, and by the next server where its own was killed', async () => {
  const old = await leftOver();
  expect(await readdir(parent)).toEqual([basename(old)]);
  const directory = await openSocketDirectory(parent);
  expect(await readdir(parent)).toEqual([basename(directory.path)]);
  await using beside = await openSocketDirectory(parent);
  expect((await readdir(parent)).sort()).toEqual([directory.path, beside.path].map((path) => basename(path)).sort());
  await directory[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
  expect(await readdir(parent)).toEqual([basename(beside.path)]);
});

it('leaves alone what may be somebody else: of a live process, another mode or name, without a mark, a link', async () => {
  const old = await leftOver();
  const mark = JSON.parse(await readFile(join(old, 'owner'), 'utf8')) as object;
  const make = async (name: string, marker: unknown, mode = 0o700): Promise<void> => {
    await mkdir(join(parent, name), { mode: 0o700 });
    if (marker !== undefined) await writeFile(join(parent, name, 'owner'), JSON.stringify(marker));
    await chmod(join(parent, name), mode);
  };
  await make('reeve-opened', mark, 0o755);
  await make('reeve-longername', mark);
  await make('reeve-nomark', undefined);
  await make('reeve-nonsen', { pid: 'all' });
  await make('reeve-others', { ...mark, namespace: 'pid:[1]' });
  await make('outside', mark);
  await symlink(join(parent, 'outside'), join(parent, 'reeve-linked'));
  await mkdir(join(parent, 'reeve-marked'), { mode: 0o700 });
  await symlink(join(parent, 'outside/owner'), join(parent, 'reeve-marked/owner'));
  await make('reeve-before', { ...mark, boot: 'another run of the machine' });
  await make('reeve-number', { ...mark, pid: process.pid, began: '1' });
  const before = (await readdir(parent)).filter(
    (name) => !['reeve-before', 'reeve-number', basename(old)].includes(name),
  );
  await using directory = await openSocketDirectory(parent);
  expect((await readdir(parent)).sort()).toEqual([...before, basename(directory.path)].sort());
});
