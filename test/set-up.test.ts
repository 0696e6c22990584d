import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

const setUp = resolve(import.meta.dirname, '../scripts/setup.mjs');
const SOURCES = ['index.html', 'package.json', 'public/icon', 'src/main', 'vite.config.ts'].map(
  (file) => `apps/console/${file}`,
);
const places: string[] = [];
afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true });
});

/** A checkout whose packages are installed, on a machine that has the commands named, and an apt-get that brings what it is asked for. */
function machineWith(...commands: string[]) {
  const top = mkdtempSync(join(tmpdir(), 'reeve-set-up-'));
  places.push(top);
  chmodSync(top, 0o777);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(top, file)), { recursive: true });
    writeFileSync(join(top, file), text);
  };
  for (const source of [...SOURCES, 'packages/client/src/a', 'packages/protocol/src/a']) write(source, '');
  for (const folder of ['', 'e2e/agents/']) {
    write(`${folder}package-lock.json`, '{}');
    const lock = createHash('sha256').update('{}').digest('hex');
    write(`${folder}node_modules/.reeve-setup.json`, JSON.stringify({ lock, extent: 'all' }));
  }
  mkdirSync(join(top, 'apps/console/dist'), { recursive: true });
  chmodSync(join(top, 'apps/console/dist'), 0o777);
  mkdirSync(join(top, 'scripts'));
  copyFileSync(setUp, join(top, 'scripts/setup.mjs'));
  const bin = join(top, 'bin');
  for (const name of ['npm', 'openssl', 'chromium', ...commands]) write(`bin/${name}`, '#!/bin/sh\nexit 0\n');
  write('bin/sh', '#!/bin/sh\nexec /bin/sh "$@"\n');
  const asked = join(top, 'asked');
  write(
    'bin/apt-get',
    `#!/bin/sh\necho "$@" >> ${asked}\n[ "$1" = install ] && : > ${bin}/bwrap && /bin/chmod 755 ${bin}/bwrap\nexit 0\n`,
  );
  for (const name of ['npm', 'openssl', 'chromium', 'sh', 'apt-get', ...commands]) chmodSync(join(bin, name), 0o755);
  return {
    run: (purpose: string, uid?: number) =>
      spawnSync(process.execPath, [join(top, 'scripts/setup.mjs'), purpose], {
        env: { PATH: bin },
        encoding: 'utf8',
        ...(uid === undefined ? {} : { uid, gid: uid }),
      }),
    asked: () => (existsSync(asked) ? readFileSync(asked, 'utf8') : ''),
    has: (command: string) => existsSync(join(bin, command)),
  };
}

const isRoot = process.getuid?.() === 0;

describe.runIf(process.platform === 'linux')('the set-up of a machine without bubblewrap', () => {
  it.runIf(isRoot).each(['start', 'test'])('installs it with apt before npm %s (needs root)', (purpose) => {
    const machine = machineWith();
    const run = machine.run(purpose);
    expect(run.stderr).toContain('installing the system package "bubblewrap"');
    expect(machine.asked()).toBe('update -qq\ninstall -y -qq --no-install-recommends bubblewrap\n');
    expect(machine.has('bwrap')).toBe(true);
    expect(run.status).toBe(0);
  });

  it('asks nobody where it is there', () => {
    const machine = machineWith('bwrap');
    expect(machine.run('test')).toMatchObject({ status: 0 });
    expect(machine.asked()).toBe('');
  });

  const uid = isRoot ? 65_534 : undefined;
  const ids = uid === undefined ? {} : { uid, gid: uid };
  const canRun = spawnSync(process.execPath, ['--version'], ids).status === 0;

  it.runIf(canRun)(
    'says what to install and serves without, to who is not root (needs a checkout that others can read)',
    () => {
      const machine = machineWith();
      const run = machine.run('start', uid);
      expect(run.stderr).toMatch(
        /"bwrap" is missing: .*apt-get install bubblewrap\); until then nothing confines them/,
      );
      expect(run.status).toBe(0);
      expect(machine.asked()).toBe('');
    },
  );

  it.runIf(canRun)(
    'says what to install and tests nothing, to who is not root (needs a checkout that others can read)',
    () => {
      const machine = machineWith();
      const run = machine.run('test', uid);
      expect(run.stderr).toContain('apt-get install bubblewrap) and run the same command again');
      expect(run.status).toBe(1);
      expect(machine.asked()).toBe('');
    },
  );
});
