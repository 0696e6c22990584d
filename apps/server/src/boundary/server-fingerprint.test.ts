import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandLineRoots, commandLineRule } from './command-line-roots.ts';
import type { DeclaredServer, ServerTransport } from './declared-server.ts';
import { fingerprintOf, shownUrl } from './server-fingerprint.ts';

let top: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'reeve-server-')));
  await mkdir(join(top, 'bin'));
  await writeFile(join(top, 'bin/serve'), 'one');
  await chmod(join(top, 'bin/serve'), 0o755);
});
afterEach(() => rm(top, { recursive: true, force: true }));

const stdio = (command: string, args: readonly string[] = [], env = {}): ServerTransport => ({
  kind: 'stdio',
  command,
  args,
  env,
});
const print = (transport: ServerTransport, members: Partial<DeclaredServer> = {}): Promise<string> =>
  fingerprintOf(
    { name: 'files', origin: 'client', transport, ...members },
    { cwd: top, searchPath: `${top}/bin:/usr/bin:relative` },
  );

describe('the fingerprint of a server', () => {
  it('is the same for the same program, wherever the server is named, and never of its secrets', async () => {
    const one = await print(stdio('serve', ['a'], { TOKEN: 'x' }));
    expect(one).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await print(stdio('serve', ['a'], { TOKEN: 'y' }), { name: 'other', origin: 'workspace' })).toBe(one);
    const url = (text: string, headers = {}): ServerTransport => ({ kind: 'http', url: text, headers });
    const remote = await print(url('https://mcp.example/a?token=1#f', { authorization: 'x' }));
    expect(await print(url('https://me:pw@mcp.example/a?token=2'))).toBe(remote);
  });

  it('is another for other arguments, another program, another script, another address', async () => {
    await writeFile(join(top, 'server.js'), 'first');
    const all = [
      await print(stdio('serve')),
      await print(stdio('serve', ['a'])),
      await print(stdio('serve', ['a b'])),
      await print(stdio('serve', ['a', 'b'])),
      await print(stdio('./bin/serve')),
      await print(stdio('serve', ['--flag', 'server.js'])),
      await print(stdio('nowhere')),
      await print({ kind: 'http', url: 'https://mcp.example/a', headers: {} }),
      await print({ kind: 'sse', url: 'https://mcp.example/a', headers: {} }),
      await print({ kind: 'http', url: 'https://mcp.example/b', headers: {} }),
      await print({ kind: 'http', url: 'https://mcp.example:444/a', headers: {} }),
      await print(stdio('serve'), { content: 'sha256:1' }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('changes with the file that the command resolves to, and with the script', async () => {
    await writeFile(join(top, 'server.js'), 'first');
    await symlink(join(top, 'bin/serve'), join(top, 'bin/alias'));
    const before = [await print(stdio('alias')), await print(stdio('alias', ['server.js']))];
    await writeFile(join(top, 'bin/serve'), 'two, longer');
    const after = [await print(stdio('alias')), await print(stdio('alias', ['server.js']))];
    await writeFile(join(top, 'server.js'), 'second');
    expect(new Set([...before, ...after, await print(stdio('alias', ['server.js']))]).size).toBe(5);
  });

  it('is of the program that its own PATH leads to, which is the one that is started', async () => {
    await mkdir(join(top, 'other'));
    await writeFile(join(top, 'other/serve'), 'no program');
    const plain = await print(stdio('serve', [], { PATH: join(top, 'bin') }));
    expect(await print(stdio('serve', [], { PATH: `other:${top}/bin` }))).toBe(plain);
    await chmod(join(top, 'other/serve'), 0o755);
    const hijacked = await print(stdio('serve', [], { PATH: `other:${top}/bin` }));
    expect(hijacked).not.toBe(plain);
    await writeFile(join(top, 'other/serve'), 'another program');
    expect(await print(stdio('serve', [], { PATH: `other:${top}/bin` }))).not.toBe(hijacked);
  });

  it('is another where a variable has other code run, whatever the order of the variables', async () => {
    const plain = await print(stdio('serve', [], { TOKEN: 'x' }));
    const loads = await print(stdio('serve', [], { NODE_OPTIONS: '--require ./x.js', LD_PRELOAD: 'y.so', TOKEN: 'x' }));
    expect(loads).not.toBe(plain);
    const preload = (LD_PRELOAD: string) => ({ LD_PRELOAD, TOKEN: 'y', NODE_OPTIONS: '--require ./x.js' });
    expect(await print(stdio('serve', [], preload('y.so')))).toBe(loads);
    expect(await print(stdio('serve', [], preload('z.so')))).not.toBe(loads);
  });

  it('is another with another variable, whatever the values, which may be secrets', async () => {
    const of = (...names: readonly string[]) =>
      print(stdio('serve', [], Object.fromEntries(names.map((name) => [name, Math.random().toString()]))));
    const one = await of('TOKEN', 'REGION');
    expect(await of('REGION', 'TOKEN')).toBe(one);
    for (const other of [of('TOKEN'), of('TOKEN', 'REGION', 'EDITOR'), of('TOKEN', 'PLACE')])
      expect(await other).not.toBe(one);
  });

  it('changes with what has the same relative name in another directory that it may be started in', async () => {
    await mkdir(join(top, 'root'));
    const roots = [top, join(top, 'root')];
    const server: DeclaredServer = { name: 'files', origin: 'client', transport: stdio('./serve', ['server']) };
    const at = () => fingerprintOf(server, { cwd: top, roots, searchPath: '' });
    const seen = [await at()];
    for (const name of ['server', 'serve']) {
      for (const content of ['one', 'two']) {
        await writeFile(join(top, 'root', name), content);
        seen.push(await at());
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each([
    ['after a word', ['run', 'late.ts']],
    ['after another script', ['--require', 'server.js', 'late.ts']],
    ['as the value of a flag', ['--import=./late.ts', 'server.js']],
  ])('changes with every script that is named: %s', async (_where, args) => {
    await writeFile(join(top, 'server.js'), 'first');
    await writeFile(join(top, 'late.ts'), 'first');
    const before = await print(stdio('serve', args));
    await writeFile(join(top, 'late.ts'), 'second');
    expect(await print(stdio('serve', args))).not.toBe(before);
  });

  it('is shown with the address without user, query and fragment', () => {
    expect(shownUrl('https://me:secret@mcp.example:8443/a/b?key=secret#secret')).toBe('https://mcp.example:8443/a/b');
    expect(shownUrl('secret')).toBe('invalid URL');
  });
});

describe('the directories on a command line', () => {
  const roots = async (...args: string[]): Promise<readonly string[] | undefined> =>
    (await commandLineRoots(stdio('serve', args), top))?.map(({ path }) => path);

  it('are those that stand there alone, or as the value of a flag whose name says so', async () => {
    await Promise.all(['a', 'b', 'cache'].map((name) => mkdir(join(top, name))));
    await symlink(join(top, 'a'), join(top, 'link'));
    const [a, b, cache] = ['a', 'b', 'cache'].map((name) => join(top, name)) as [string, string, string];
    expect(await roots('-y', 'pkg', a, b, a)).toEqual([a, b]);
    expect(await roots(`--root=${a}`, '--allowed-dir', b)).toEqual([a, b]);
    expect(await roots('--cache-dir', cache, `--config=${cache}`)).toBeUndefined();
    expect(await roots('./a', '.', join(top, 'link'))).toEqual([a, top]);
    expect(await roots('a', join(top, 'nowhere'), join(top, 'bin/serve'))).toBeUndefined();
  });

  it('leave of what they lie in the outermost of them, of what lies in them all, and nothing else', () => {
    const rule = commandLineRule(['/a/b', '/a/b/c', '/a/d', '/e'].map((path) => ({ path, access: 'rw' })));
    expect(['/', '/a', '/a/b', '/a/b/c', '/e/f', '/ab'].map(rule.partOf)).toEqual([
      ['/a/b', '/a/d', '/e'],
      ['/a/b', '/a/d'],
      ...[undefined, undefined, undefined, undefined],
    ]);
    expect(['/', '/a', '/a/b/x', '/e'].map(rule.unnamed)).toEqual([undefined, undefined, undefined, undefined]);
    expect(rule.unnamed('/ab')).toContain('names only /a/b and 3 more');
    const whole = commandLineRule([{ path: '/', access: 'rw' }]);
    expect([whole.partOf('/'), whole.unnamed('/a'), commandLineRule(undefined).unnamed('/a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are none of a server that is reached by an address', async () => {
    expect(await commandLineRoots({ kind: 'http', url: `file://${top}`, headers: {} }, top)).toBeUndefined();
  });
});
