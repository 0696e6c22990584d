import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BoundaryRoot } from '@reeve/protocol';
import { createProcessHolder } from '@reeve/sandbox';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { fakeGuard } from '../gate/fake-guard.rig.ts';
import { createCallGates } from '../gate/server-call-gate.ts';
import { openGovernedServer } from './governed-server.rig.ts';
import { launcherOptions } from './launcher-options.rig.ts';
import { createServerLauncher } from './server-launcher.ts';

/** The reference server of files: it checks a path, and opens it afterwards. */
const filesystem = resolve(
  import.meta.dirname,
  '../../../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);
const slow = process.env.REEVE_E2E_SLOW === '1';
const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-revoke-')));
const [kept, taken, outside] = [join(base, 'kept'), join(base, 'taken'), join(base, 'outside')];
for (const place of [kept, taken, outside]) {
  mkdirSync(place);
  writeFileSync(join(place, 'file'), `text of ${place}`);
}
const holder = createProcessHolder();
const { usable } = await holder.probe();
afterAll(async () => {
  await holder[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

async function open(roots: readonly BoundaryRoot[]) {
  const transport = { kind: 'stdio', command: process.execPath, args: [filesystem, kept], env: {} } as const;
  const fake = fakeGuard({ server: { transport }, roots });
  const gate = createCallGates({ home: '/home/nobody', limits: { mcpStaleRootsMs: 1000, mcpDrainMs: 1000 } })(
    fake.guard,
  );
  const launcher = createServerLauncher(launcherOptions(holder));
  const server = await openGovernedServer(fake.guard, gate, launcher);
  return { ...fake, server };
}

const both: readonly BoundaryRoot[] = [
  { path: kept, access: 'rw' },
  { path: taken, access: 'rw' },
];
const one: readonly BoundaryRoot[] = [{ path: kept, access: 'rw' }];

describe.runIf(usable && existsSync(filesystem))('the reference server of files', () => {
  it('reads nothing of a root once it is revoked, however often, with calls racing', { timeout: 300_000 }, async () => {
    const { server, become, said } = await open(both);
    await using _server = server;
    const text = `text of ${taken}`;
    const rounds = slow ? 100 : 5;
    for (let round = 1; round <= rounds; round++) {
      const read = () => server.call('read_text_file', { path: join(taken, 'file') });
      // A server takes its roots in a little after it was told of them.
      await vi.waitFor(async () => expect(await read()).toBe(text), 60_000);
      const racing = Array.from({ length: 5 }, read);
      const revoked = server.change(become(one));
      const after = Array.from({ length: 5 }, read);
      await revoked;
      const late = Array.from({ length: 3 }, read);
      // By the gate, and without it: the sandbox itself holds.
      const ungated = server.call('read_text_file', { path: join(taken, 'file') }, { ungated: true });
      for (const answer of await Promise.all([...after, ...late])) expect(answer).toContain('reeve roots request');
      expect(await ungated).not.toContain('text of');
      for (const answer of await Promise.all(racing)) expect(answer === text || !answer.includes('text of')).toBe(true);
      const still = () => server.call('read_text_file', { path: join(kept, 'file') });
      await vi.waitFor(async () => expect(await still()).toBe(`text of ${kept}`), 60_000);
      expect(said.verified).toHaveLength(round);
      expect(said.verified.at(-1)).toMatch(/ gone: /);
      await server.change(become(both));
    }
  });

  it('leaks nothing through a directory that is swapped for a symlink while it reads and writes', {
    timeout: 300_000,
  }, async () => {
    const { server } = await open(one);
    await using _server = server;
    const [here, away] = [join(kept, 'swapped'), join(kept, 'away')];
    mkdirSync(here);
    writeFileSync(join(here, 'file'), 'inside');
    const rounds = slow ? 10_000 : 300;
    let swaps = 0;
    const stop = new AbortController();
    const swapping = (async () => {
      while (!stop.signal.aborted) {
        renameSync(here, away);
        symlinkSync(outside, here);
        await new Promise(setImmediate);
        unlinkSync(here);
        renameSync(away, here);
        swaps += 1;
        await new Promise(setImmediate);
      }
    })();
    const seen = { inside: 0, leaks: 0 };
    for (let at = 0; at < rounds; at += 10) {
      const calls = Array.from({ length: 10 }, (_, of) =>
        // Past the gate, which sees a path only before the server does.
        of % 2 === 0
          ? server.call('read_text_file', { path: join(here, 'file') }, { ungated: true })
          : server.call('write_file', { path: join(here, 'file'), content: 'inside' }, { ungated: true }),
      );
      for (const answer of await Promise.all(calls)) {
        if (answer.includes(`text of ${outside}`)) seen.leaks += 1;
        if (answer === 'inside' || answer.startsWith('Successfully')) seen.inside += 1;
      }
    }
    stop.abort();
    await swapping;
    expect(seen.leaks).toBe(0);
    expect(seen.inside).toBeGreaterThan(0);
    expect(swaps).toBeGreaterThan(rounds / 100);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(`text of ${outside}`);
    expect(readdirSync(outside)).toEqual(['file']);
  });
});
