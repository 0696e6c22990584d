import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { createProcessHolder } from '../process-holder.ts';
import { probeSandbox } from '../sandbox-probe.ts';
import { attemptEscapes, type EscapeVerdict, escapeAttempts } from './attempt-escapes.ts';

const rig = join(import.meta.dirname, 'escape-run.rig.ts');
const probe = await probeSandbox();
const root = process.getuid?.() === 0;

interface User {
  readonly name: string;
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

const nobody: User = { name: 'an unprivileged user', ids: { uid: 65_534, gid: 65_534 } };
const self: User = { name: root ? 'root' : 'an unprivileged user', ids: {} };
/** Where the repository lies in the home of root, others cannot read it. */
const nobodyCanRead = root && spawnSync(process.execPath, ['--check', rig], { ...nobody.ids, cwd: '/' }).status === 0;
const users = nobodyCanRead ? [self, nobody] : [self];

async function run(mode: 'confined' | 'bare', { ids }: User): Promise<ReadonlyMap<string, EscapeVerdict>> {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', SERVER_SECRET: 'secret-of-the-server' };
  const child = spawn(process.execPath, [rig, mode], { ...ids, env, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return new Map((JSON.parse(said) as EscapeVerdict[]).map((verdict) => [verdict.id, verdict]));
}

/** Whether these succeed without a boundary is for the kernel, the container around the tests or the user's home to say. */
const bareDepends = new Set([
  'list-home', // an empty home
  'inherited-descriptor', // none is left open: inherited-descriptors.test.ts leaves one
  'first-root', // process 1 may be guarded
  'enter-namespace',
  'ptrace', // yama
  'keyring',
  'shared-memory', // ipcmk
  'terminal-input', // dev.tty.legacy_tiocsti
  'device',
  'core-pattern', // capabilities of the container
  'mount',
  'user-namespace',
]);
const bareAsRootOnly = new Set(['read-shadow', 'chroot']);

describe('the attempts to escape', () => {
  it('have each a name of their own, and a boundary to be tried in', () => {
    expect(new Set(escapeAttempts.map(({ id }) => id)).size).toBe(escapeAttempts.length);
    expect(escapeAttempts.length).toBeGreaterThanOrEqual(40);
    for (const id of [...bareDepends, ...bareAsRootOnly]) expect(escapeAttempts.map((a) => a.id)).toContain(id);
  });

  it('are listed in the threat model, each with what it tries', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/threat-model.md'), 'utf8');
    const table = page.split('<!-- escapes:begin -->')[1]?.split('<!-- escapes:end -->')[0]?.trim();
    const rows = escapeAttempts.map(({ id, what }) => `| \`${id}\` | ${what} |`);
    expect(table).toBe(['| attempt | what it tries |', '|---|---|', ...rows].join('\n'));
  });

  it('end when they are told to', async () => {
    await using holder = createProcessHolder();
    expect(await attemptEscapes(holder, { signal: AbortSignal.abort() })).toEqual([]);
  });

  it('that are ended midway are no verdict, and leave nothing behind', async () => {
    const base = mkdtempSync(join(tmpdir(), 'reeve-ended-'));
    vi.stubEnv('TMPDIR', base);
    try {
      await using holder = createProcessHolder({ sandbox: 'none' });
      const stop = new AbortController();
      const attempts = attemptEscapes(holder, { confined: false, signal: stop.signal });
      await expect.poll(() => readdirSync(base)).not.toEqual([]);
      stop.abort();
      expect((await attempts).length).toBeLessThan(escapeAttempts.length);
      expect(readdirSync(base)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      rmSync(base, { recursive: true, force: true });
    }
  });
});

describe.skipIf(!probe.usable).each(users)(
  `a process in its boundary, started by $name${probe.usable ? '' : ` (skipped: ${probe.reason})`}`,
  (user) => {
    it('is stopped at every attempt to get out', async () => {
      const verdicts = await run('confined', user);
      expect(verdicts.size).toBe(escapeAttempts.length);
      const passed = [...verdicts.values()].filter(({ verdict }) => verdict !== 'blocked');
      // Nothing but a missing perl or ipcmk may keep an attempt from being made.
      expect(passed.filter(({ detail }) => !/perl is not installed|lacks what it is about/.test(detail))).toEqual([]);
    });
  },
);

describe.each(users)('a process without a boundary, started by $name', (user) => {
  it('gets out by the same attempts, so that they are known to work', async () => {
    const verdicts = await run('bare', user);
    const asRoot = root && user === self;
    for (const { id, onlyConfined } of escapeAttempts) {
      const found = verdicts.get(id);
      if (onlyConfined) expect(found?.verdict, id).toBe('not-applicable');
      else if (bareAsRootOnly.has(id)) expect(found?.verdict, id).toBe(asRoot ? 'escaped' : 'blocked');
      else if (!bareDepends.has(id)) expect(found, id).toMatchObject({ id, verdict: 'escaped' });
    }
  });
});
