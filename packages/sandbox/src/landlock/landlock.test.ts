import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareProfile } from '../bare-profile.ts';
import { readOsRuntime } from '../bubblewrap/os-runtime.ts';
import type { Profile } from '../profile.ts';
import { landlockPlan } from './landlock-arguments.ts';
import { probeLandlock } from './landlock-probe.ts';

const probe = await probeLandlock();
const reach = { setpriv: '/usr/bin/setpriv', network: true, scope: true };

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-landlock-')));
  for (const name of ['rw', 'ro', 'home', 'out']) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function profile(changes: Partial<Profile> = {}): Profile {
  return bareProfile({
    roots: [
      { path: join(base, 'rw'), access: 'rw' },
      { path: join(base, 'ro'), access: 'ro' },
    ],
    home: { path: '/home/agent', directory: join(base, 'home') },
    ...changes,
  });
}

const rules = (prefix: readonly string[]) => prefix.filter((_, at) => prefix[at - 1] === '--landlock-rule');

describe('the arguments of setpriv', () => {
  it('take every right away, and give writing back only in read-write roots and in HOME', () => {
    const { prefix, env } = landlockPlan(profile(), readOsRuntime(), reach);
    expect(prefix[prefix.indexOf('--landlock-access') + 1]).toMatch(/^fs:.*truncate.*refer.*make-char,make-block$/);
    const granted = rules(prefix);
    const of = (name: string) => granted.find((text) => text.endsWith(`:${join(base, name)}`));
    expect(of('ro')).toBe(`path-beneath:execute,read-file,read-dir:${join(base, 'ro')}`);
    expect(of('rw')).toContain('write-file');
    expect(of('home')).toContain('write-file');
    expect(of('out')).toBeUndefined();
    const written = granted.filter((text) => text.includes('write-file')).map((text) => text.split(':').at(-1));
    expect(written.filter((path) => !path?.startsWith('/dev/'))).toEqual([join(base, 'rw'), join(base, 'home')]);
    expect(prefix.at(-1)).toBe('--');
    expect(env).toEqual({ HOME: join(base, 'home'), GIT_CONFIG_NOSYSTEM: '1' });
  });

  it('name no directory right for a file, and no path that is not there', () => {
    writeFileSync(join(base, 'tool'), '');
    writeFileSync(join(base, 'notes'), '');
    const { prefix } = landlockPlan(
      profile({
        roots: [{ path: join(base, 'notes'), access: 'rw', kind: 'file' }],
        readOnly: [join(base, 'tool'), join(base, 'missing')],
      }),
      readOsRuntime(),
      reach,
    );
    expect(rules(prefix)).toContain(`path-beneath:execute,read-file:${join(base, 'tool')}`);
    expect(rules(prefix)).toContain(`path-beneath:execute,read-file,write-file,truncate:${join(base, 'notes')}`);
    expect(prefix.join()).not.toContain('missing');
  });

  it('hold TCP unless the network is granted, and only where the kernel can', () => {
    const args = (network: Profile['network'], network_: boolean) =>
      landlockPlan(profile({ network }), readOsRuntime(), { ...reach, network: network_ });
    expect(args('none', true).prefix).toContain('net');
    expect(args('none', true).gaps.join()).toContain('UDP and unix sockets are not');
    expect(args('full', true).prefix).not.toContain('net');
    expect(args('none', false).gaps.join()).toContain('every address');
    expect(args({ allow: ['a.example'] }, true).gaps.join()).toContain('no host of the allow-list is reached');
    expect(args({ allow: ['a.example'] }, false).gaps.join()).toContain('allow-list is not held');
  });

  it('never pass for the whole boundary', () => {
    const { gaps } = landlockPlan(profile({ masked: [join(base, 'rw/secret')] }), readOsRuntime(), reach);
    for (const word of ['names, sizes', 'protected paths', 'masked', 'symlink', 'setuid', 'no filter'])
      expect(gaps.join('\n')).toContain(word);
  });
});

describe('the probe of landlock', () => {
  it('says why it cannot be used, from what setpriv itself answers', async () => {
    expect(await probeLandlock(join(base, 'missing'))).toMatchObject({ kind: 'unusable' });
    const old = join(base, 'setpriv');
    writeFileSync(old, `#!/bin/sh\necho "setpriv: unrecognized option '--landlock-access'" >&2\nexit 1\n`);
    chmodSync(old, 0o755);
    expect(await probeLandlock(old)).toEqual({ kind: 'unusable', reason: expect.stringContaining('util-linux 2.41') });
  });

  it('is not taken in by a setpriv that applies nothing', async () => {
    const idle = join(base, 'setpriv');
    writeFileSync(idle, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n');
    chmodSync(idle, 0o755);
    expect(await probeLandlock(idle)).toMatchObject({
      kind: 'unusable',
      reason: expect.stringContaining('without effect'),
    });
  });
});

describe.skipIf(probe.kind !== 'usable')(
  `a process behind landlock${probe.kind === 'usable' ? '' : ` (skipped: ${probe.reason})`}`,
  () => {
    it('reads and writes what is granted, and nothing else', () => {
      if (probe.kind !== 'usable') return;
      writeFileSync(join(base, 'out/secret'), 'secret');
      const [command = '', ...args] = landlockPlan(profile(), readOsRuntime(), probe).prefix;
      const script = `echo a > ${base}/rw/new && mkdir ${base}/rw/d && mv ${base}/rw/new ${base}/rw/d && cat ${base}/rw/d/new
        cat ${base}/out/secret; echo b > ${base}/ro/new; echo c > ${base}/out/new; truncate -s 0 ${base}/out/secret`;
      const ran = spawnSync(command, [...args, '/bin/sh', '-c', script], { encoding: 'utf8' });
      expect(ran.stdout).toBe('a\n');
      for (const name of ['ro/new', 'out/new']) expect(existsSync(join(base, name))).toBe(false);
      expect(spawnSync('cat', [join(base, 'out/secret')], { encoding: 'utf8' }).stdout).toBe('secret');
    });
  },
);
