import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareProfile } from '../bare-profile.ts';
import type { Profile } from '../profile.ts';
import { guardedRoots } from '../protected-places.ts';
import { sbplString } from './sbpl.ts';
import { seatbeltPlan } from './seatbelt-profile.ts';

const base = bareProfile({
  roots: [
    { path: '/Users/ann/project', access: 'rw' },
    { path: '/Users/ann/library', access: 'ro' },
  ],
  readOnly: ['/opt/agent'],
  home: { path: '/home/agent', directory: '/Users/ann/.reeve/homes/1' },
});

async function textOf(changes: Partial<Profile> = {}, proxyPort?: number): Promise<string> {
  const profile = { ...base, ...changes };
  const plan = seatbeltPlan(profile, await guardedRoots(profile), proxyPort === undefined ? {} : { proxyPort });
  if (plan.kind === 'failed') throw new Error(plan.message);
  expectBalanced(plan.text);
  return plan.text;
}

/** Parentheses outside of strings close, and every string ends: else it is another profile than was meant. */
function expectBalanced(text: string): void {
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  expect(bare).not.toContain('"');
  let depth = 0;
  for (const character of bare) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    expect(depth).toBeGreaterThanOrEqual(0);
  }
  expect(depth).toBe(0);
}

const linesWith = (text: string, word: string) => text.split('\n').filter((line) => line.includes(word));

describe('the seatbelt profile', () => {
  it('denies by default, and lets the roots be read and only the read-write ones be written', async () => {
    const text = await textOf();
    expect(text).toMatch(/^\(version 1\)\n\(deny default\)\n/);
    expect(linesWith(text, 'allow file-read* (subpath').join()).toContain('"/Users/ann/library"');
    const [written] = linesWith(text, '(allow file-write* ');
    expect(written).toBe('(allow file-write* (subpath "/Users/ann/project") (subpath "/Users/ann/.reeve/homes/1"))');
    expect(text).not.toMatch(/allow[^\n]*\(subpath "\/"\)/);
    expect(text).not.toMatch(/allow[^\n]*subpath "\/(Users|private|Users\/ann)"/);
  });

  it('takes writing away again from protected paths, after it was given, whether they exist or not', async () => {
    const text = await textOf();
    const given = text.indexOf('(allow file-write*');
    const taken = text.indexOf('(deny file-write* ');
    expect(taken).toBeGreaterThan(given);
    const line = text.slice(taken).split('\n')[0] ?? '';
    for (const path of ['.git/hooks', '.git/config', '.claude', '.mcp.json'])
      expect(line).toContain(`(subpath "/Users/ann/project/${path}")`);
    expect(line).toContain('(subpath "/Users/ann/library")');
    expect(line).toContain('(subpath "/opt/agent")');
    expect(text.indexOf('(deny file-write-setugid)')).toBeGreaterThan(given);
    // Nor is the directory around one moved away.
    expect(linesWith(text, 'deny file-write-unlink').join()).toContain('(literal "/Users/ann/project/.git")');
  });

  it('takes it away from what git finds in a root that is a git directory, and in repositories below one, too', async () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-seatbelt-')));
    try {
      for (const name of ['bare.git/objects', 'bare.git/refs', 'app/vendor/x/.git', 'app/odd\n/.git'])
        mkdirSync(join(top, name), { recursive: true });
      writeFileSync(join(top, 'bare.git/HEAD'), '');
      const profile: Profile = {
        ...base,
        roots: ['bare.git', 'app'].map((name) => ({ path: join(top, name), access: 'rw' })),
      };
      const plan = seatbeltPlan(profile, await guardedRoots(profile));
      if (plan.kind === 'failed') throw new Error(plan.message);
      const denied = linesWith(plan.text, 'deny file-write* ').join();
      for (const name of [
        'bare.git/config',
        'bare.git/hooks',
        'app/vendor/x/.git/config',
        'app/vendor/x/.git/commondir',
      ])
        expect(denied).toContain(`(subpath "${top}/${name}")`);
      expect(linesWith(plan.text, 'deny file-write-unlink').join()).toContain(`(literal "${top}/app/vendor/x")`);
      expect(plan.gaps.join('\n')).toContain(
        `${JSON.stringify(join(top, 'app/odd\n/.git/config'))} holds control characters`,
      );
    } finally {
      rmSync(top, { recursive: true, force: true });
    }
  });

  it('lets the way to a root be walked, but not listed', async () => {
    const [metadata = ''] = linesWith(await textOf(), 'file-read-metadata');
    for (const path of ['/', '/Users', '/Users/ann']) expect(metadata).toContain(`(literal "${path}")`);
  });

  it('hides what is masked, after everything that allows it', async () => {
    const text = await textOf({ masked: ['/Users/ann/project/secret'] });
    const hidden = text.indexOf('(deny file-read* file-write* (subpath "/Users/ann/project/secret"))');
    expect(hidden).toBeGreaterThan(text.lastIndexOf('(allow file-read*'));
    expect(hidden).toBeGreaterThan(text.lastIndexOf('(allow file-write*'));
  });

  it('has no network, all of it, or one port of the loopback', async () => {
    expect(linesWith(await textOf(), 'network')).toEqual(['(deny network*)']);
    expect(linesWith(await textOf({ network: 'full' }), 'network')).toEqual(['(allow network*)']);
    expect(linesWith(await textOf({ network: { allow: ['a.example'] } }, 3_128), 'network')).toEqual([
      '(deny network*)',
      '(allow network-outbound (remote ip "localhost:3128"))',
    ]);
    const socket = { path: '/run/mcp', socket: '/Users/ann/.reeve/mcp.sock' };
    expect(linesWith(await textOf({ sockets: [socket] }), 'network-outbound')).toEqual([
      '(allow network-outbound (literal "/Users/ann/.reeve/mcp.sock"))',
    ]);
  });

  it('cannot be rewritten by the name of a directory', async () => {
    const nasty = '/Users/ann/a") (allow default) ("b\\';
    const text = await textOf({ roots: [{ path: nasty, access: 'rw' }] });
    expect(text).toContain('(subpath "/Users/ann/a\\") (allow default) (\\"b\\\\")');
    expect(sbplString('a\\"b')).toBe('"a\\\\\\"b"');
    for (const control of ['\n', '\0', '\u001b', '\u007f']) {
      expect(sbplString(`a${control}b`)).toBeUndefined();
      const plan = seatbeltPlan({ ...base, roots: [{ path: `/Users/${control}`, access: 'rw' }] }, []);
      expect(plan).toMatchObject({ kind: 'failed', reason: 'refused' });
    }
  });

  it('says what it does not hold', async () => {
    const plan = seatbeltPlan({ ...base, home: { path: '/home/agent' }, network: { allow: ['a.example'] } }, []);
    if (plan.kind === 'failed') throw new Error(plan.message);
    for (const word of ['private HOME', 'no proxy', 'process list']) expect(plan.gaps.join('\n')).toContain(word);
  });

  it.skipIf(process.platform !== 'darwin')('holds a process on macOS', async () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-seatbelt-')));
    try {
      for (const name of ['rw', 'out', 'home']) mkdirSync(join(top, name));
      writeFileSync(join(top, 'out/secret'), 'secret');
      const profile: Profile = {
        ...base,
        roots: [{ path: join(top, 'rw'), access: 'rw' }],
        readOnly: [],
        home: { path: '/home/agent', directory: join(top, 'home') },
      };
      const plan = seatbeltPlan(profile, await guardedRoots(profile));
      if (plan.kind === 'failed') throw new Error(plan.message);
      const [command = '', ...args] = plan.prefix;
      const script = `echo a > ${top}/rw/new; mkdir ${top}/rw/.claude; cat ${top}/out/secret; echo c > ${top}/out/new`;
      const ran = spawnSync(command, [...args, '/bin/sh', '-c', script], { encoding: 'utf8' });
      expect(ran.stdout).not.toContain('secret');
      expect(existsSync(join(top, 'rw/new'))).toBe(true);
      for (const name of ['rw/.claude', 'out/new']) expect(existsSync(join(top, name))).toBe(false);
    } finally {
      rmSync(top, { recursive: true, force: true });
    }
  });
});
