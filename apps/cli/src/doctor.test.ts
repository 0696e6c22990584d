import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectReeve } from '@reeve/client';
import type { DoctorReport } from '@reeve/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliPlace, runCli, startCli } from './cli.rig.ts';
import { complaintsAboutReport, complaintsAboutSandbox } from './doctor-schema.rig.ts';

const bwrap = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].filter((place) => existsSync(place));
/** A machine of our own: this one, but for what is changed. */
const machine = (...changes: readonly string[]) => [bwrap[0] ?? 'bwrap', '--dev-bind', '/', '/', ...changes, '--'];
const sandboxWorks = spawnSync('bwrap', machine().slice(1).concat('true')).status === 0;
const hidden = bwrap.flatMap((place) => ['--ro-bind', '/dev/null', place]);
/** Where nothing is tried that takes its time. */
const quick: CliPlace = sandboxWorks ? { inside: machine(...hidden) } : {};
const nobody: CliPlace = { uid: 65_534, gid: 65_534 };
/** Where the repository lies in the home of root, others cannot read it. */
const nobodyCanRead =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['--check', import.meta.filename], { ...nobody, cwd: '/' }).status === 0;

let base: string;
let env: Record<string, string>;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'reeve-doctored-'));
  for (const name of ['home', 'tmp']) {
    mkdirSync(join(base, name));
    chmodSync(join(base, name), 0o777);
  }
  chmodSync(base, 0o755);
  env = {
    PATH: '/usr/bin:/bin',
    HOME: join(base, 'home'),
    TMPDIR: join(base, 'tmp'),
    SERVICE_TOKEN: 'secret-of-this-machine',
  };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const doctor = (place: CliPlace = {}, ...args: readonly string[]) =>
  runCli(['doctor', '--config', join(base, 'reeve.json'), ...args], env, '', place);
const configure = (settings: object) => writeFileSync(join(base, 'reeve.json'), JSON.stringify(settings));
const left = () => [...readdirSync(join(base, 'home')), ...readdirSync(join(base, 'tmp'))];
const finding = ({ findings }: DoctorReport, id: string) => findings.find((each) => each.id === id);
/** Those that were told of our directories, or work there. */
function processes(): readonly string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const [home, tmp] = [join(base, 'home'), join(base, 'tmp')];
      const words = readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return [words, readlinkSync(`/proc/${pid}/cwd`)].some((told) => told.includes(home) || told.includes(tmp));
    } catch {
      return false;
    }
  });
}

async function report(place: CliPlace = {}, code?: number): Promise<DoctorReport> {
  const run = await doctor(place, '--json');
  expect(run.stderr).toContain('trying each sandbox');
  if (code !== undefined) expect(run.code, run.stderr + run.stdout).toBe(code);
  expect(run.stdout.trim().split('\n')).toHaveLength(1);
  const said = JSON.parse(run.stdout) as DoctorReport;
  expect(complaintsAboutReport(said)).toBe('No errors');
  expect(run.stdout + run.stderr).not.toContain('secret-of-this-machine');
  expect(left()).toEqual([]);
  expect(processes()).toEqual([]);
  expect(said.durationMs).toBeLessThan(20_000);
  return said;
}

describe.each([
  { user: process.getuid?.() === 0 ? 'root' : 'an unprivileged user', place: {}, there: true },
  { user: 'another, unprivileged user', place: nobody, there: nobodyCanRead },
])('reeve doctor, run by $user', ({ place, there }) => {
  it.skipIf(!there || !sandboxWorks)(
    'shows that a boundary holds here, and leaves nothing behind (needs bubblewrap and user namespaces)',
    async () => {
      configure({ port: 0 });
      const said = await report(place, 0);
      expect(said).toMatchObject({
        ok: true,
        required: 'enforced',
        machine: { root: Object.keys(place).length === 0 && process.getuid?.() === 0 },
        sandbox: { backend: 'bubblewrap', usable: true, contains: true, systemCallFilter: true, allowLists: true },
        enforcement: { backend: 'bubblewrap', fs: 'enforced', network: 'enforced' },
      });
      expect(said.verdict).toBe(said.enforcement?.limits);
      expect(said.escapes.length).toBeGreaterThan(30);
      expect(said.escapes.filter(({ verdict }) => verdict === 'escaped')).toEqual([]);
      expect(finding(said, 'network')).toMatchObject({
        state: 'ok',
        detail: expect.stringContaining('another refused'),
      });
    },
  );
});

describe('reeve doctor on a machine', () => {
  it('says each verdict to a person, the conclusion last', async () => {
    configure({ port: 0 });
    const { stdout, stderr, code } = await doctor();
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^(enforced|partial|declared): /);
    expect(stdout).toMatch(/ (used|works|-) +bubblewrap /);
    if (sandboxWorks) expect(stdout).toMatch(/ blocked +read-sibling +read a file beside the root/);
    expect(stderr).toContain('starting a process in a boundary');
    expect(code).toBe(sandboxWorks ? 0 : 1);
  });

  it.skipIf(!sandboxWorks).each([
    ['ID=debian', 'apt-get install bubblewrap'],
    ['ID=fedora', 'dnf install bubblewrap'],
    ['ID=alpine', 'apk add bubblewrap'],
    ['ID=manjaro\nID_LIKE=arch', 'pacman -S bubblewrap'],
  ])(
    'without bubblewrap says what to install in the words of its distribution (needs bubblewrap): %j',
    async (release, command) => {
      configure({ port: 0 });
      writeFileSync(join(base, 'os-release'), release);
      const said = await report(
        { inside: machine('--ro-bind', join(base, 'os-release'), '/etc/os-release', ...hidden) },
        1,
      );
      expect(said).toMatchObject({ verdict: 'declared', ok: false, escapes: [], enforcement: { backend: 'none' } });
      expect(said.conclusion).toBe('declared: bubblewrap is not installed');
      expect(said.sandbox.backends[0]).toMatchObject({ usable: false, nextStep: expect.stringContaining(command) });
      expect(finding(said, 'escapes')).toMatchObject({ state: 'wrong', next: expect.stringContaining(command) });
    },
  );

  it.skipIf(!sandboxWorks)('that forbids user namespaces says how to allow them (needs bubblewrap)', async () => {
    configure({ port: 0 });
    const said = await report({ inside: machine('--unshare-user', '--disable-userns') }, 1);
    expect(said.conclusion).toMatch(/^declared: this system forbids what a sandbox is made of/);
    expect(said.sandbox).toMatchObject({ usable: false, nextStep: expect.stringMatching(/user namespaces/) });
    expect(said.escapes).toEqual([]);
  });

  it('whose sandbox is switched off by the configuration is as wrong or right as that asks for', async () => {
    configure({ port: 0, sandbox: { backend: 'none' } });
    const wanted = await report({}, 1);
    expect(wanted).toMatchObject({ required: 'enforced', verdict: 'declared', sandbox: { backend: 'none' } });
    expect(finding(wanted, 'escapes')).toMatchObject({ next: expect.stringContaining('sandbox.backend') });
    configure({ port: 0, sandbox: { backend: 'none', require: 'declared' } });
    expect(await report({}, 0)).toMatchObject({ required: 'declared', verdict: 'declared', escapes: [] });
  });

  it('names a data directory, a store and an address that do not work', async () => {
    using stack = new DisposableStack();
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    stack.defer(() => void taken.close());
    const { port } = taken.address() as { readonly port: number };

    writeFileSync(join(base, 'file'), '');
    configure({ port, dataDir: join(base, 'file/data') });
    const first = await report(quick, 1);
    expect(finding(first, 'address')).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('another program'),
    });
    expect(finding(first, 'data-directory')).toMatchObject({ state: 'wrong', next: expect.stringContaining('--data') });
    expect(finding(first, 'store')).toMatchObject({ state: 'skipped' });

    mkdirSync(join(base, 'data'));
    writeFileSync(join(base, 'data/reeve.db'), 'no database'.repeat(1000));
    configure({ port: 0, dataDir: join(base, 'data') });
    const second = await report(quick, 1);
    expect(finding(second, 'data-directory')).toMatchObject({ state: 'ok' });
    expect(finding(second, 'store')).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('not a database'),
    });
    expect(readdirSync(join(base, 'data'))).toEqual(['reeve.db']);
  });

  it('without a place for temporary files says so', async () => {
    configure({ port: 0 });
    env = { ...env, TMPDIR: join(base, 'tmp/missing') };
    const said = await report({}, 1);
    expect(said).toMatchObject({ verdict: 'declared', enforcement: null, escapes: [] });
    expect(finding(said, 'network')).toMatchObject({ state: 'wrong', next: expect.stringContaining('TMPDIR') });
  });

  it.skipIf(!sandboxWorks)('that cannot be tried out whole says so (needs bubblewrap)', async () => {
    configure({ port: 0 });
    // Longer than the path of a socket may be.
    const deep = join(base, 'tmp', 'x'.repeat(120));
    mkdirSync(deep);
    const { stdout } = await runCli(['doctor', '--config', join(base, 'reeve.json')], { ...env, TMPDIR: deep });
    expect(stdout).toMatch(/ weak +escapes +not tried: .*EINVAL/);
    expect(stdout).toMatch(/\npartial: .*not tried/);
    expect(readdirSync(deep)).toEqual([]);
  });

  it('finds the server that runs, which says the same of its sandbox, and agents with the version of their package', async () => {
    mkdirSync(join(base, 'agent'));
    writeFileSync(join(base, 'agent/agent.js'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(base, 'agent/package.json'), '{"version":"1.2.3","bin":{"agent":"./agent.js"}}');
    const agents = { mine: { command: join(base, 'agent/agent.js') }, gone: { command: join(base, 'gone') } };
    configure({ port: 0, dataDir: join(base, 'data'), agents });
    // Else it would count as left behind.
    const elsewhere = { HOME: base, TMPDIR: base };
    await using server = startCli(['serve', '--json', '--config', join(base, 'reeve.json')], { ...env, ...elsewhere });
    await expect.poll(() => server.stdout()).toContain('url');
    const { url, token } = JSON.parse(server.stdout()) as { url: string; token: string };
    const sandbox = await connectReeve({ url, token }).sandbox();
    expect(complaintsAboutSandbox(sandbox)).toBe('No errors');
    if (sandboxWorks) expect(sandbox).toMatchObject({ backend: 'bubblewrap', usable: true });

    const said = await report(quick);
    expect(finding(said, 'address')).toMatchObject({ state: 'ok', detail: `a server runs at ${url}` });
    expect(finding(said, 'store')).toMatchObject({ state: 'ok' });
    expect(said.agents).toEqual([
      { name: 'mine', command: agents.mine.command, path: agents.mine.command, version: '1.2.3' },
      { name: 'gone', command: agents.gone.command, path: null, version: null },
    ]);
    expect(finding(said, 'agents')).toMatchObject({ state: 'weak', detail: expect.stringContaining('gone') });

    const other = await runCli(
      ['doctor', '--json', '--config', join(base, 'reeve.json'), '--data', join(base, 'other')],
      { ...env, REEVE_PORT: new URL(url).port },
      '',
      quick,
    );
    expect(finding(JSON.parse(other.stdout) as DoctorReport, 'address')).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('a Reeve with another data directory'),
    });
  });

  it('that interrupts it is left as it was', async () => {
    configure({ port: 0 });
    await using cli = startCli(['doctor', '--config', join(base, 'reeve.json')], env);
    await expect.poll(() => cli.stderr()).toContain(sandboxWorks ? 'to get out' : 'each sandbox');
    cli.kill('SIGINT');
    expect(await cli.done).toMatchObject({ code: 130, stdout: '' });
    expect(left()).toEqual([]);
    expect(processes()).toEqual([]);
  });
});
