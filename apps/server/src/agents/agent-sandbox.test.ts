import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SessionBoundary } from '@reeve/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentSandbox, agentEnforcement, createAgentSandbox } from './agent-sandbox.ts';
import { type AgentSandboxRules, PLAIN_RULES } from './agent-sandbox-rules.ts';

let base: string;
let home: string;
let sandbox: AgentSandbox;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-profile-')));
  home = join(base, 'home');
  for (const name of ['home/.agent', 'project', 'data']) mkdirSync(join(base, name), { recursive: true });
  sandbox = createAgentSandbox({ dataDir: join(base, 'data'), hidden: [join(base, 'data')], home, enabled: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function file(path: string, text = ''): string {
  const whole = join(base, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  chmodSync(whole, 0o755);
  return whole;
}

function entry(command: string, rules: Partial<AgentSandboxRules> = {}, args: readonly string[] = []) {
  const env = { PATH: `${join(base, 'bin')}:/usr/bin:/bin`, HOME: home };
  return { name: 'agent', command, args, env, sandbox: { ...PLAIN_RULES, ...rules } };
}

function place(boundary: Partial<SessionBoundary> = {}) {
  const cwd = join(base, 'project');
  return { cwd, boundary: { roots: [{ path: cwd, access: 'rw' as const }], revision: 1, ...boundary } };
}

/** Without what the system has anyway. */
function own(paths: readonly string[] = []): readonly string[] {
  return paths.filter((path) => path.startsWith(base));
}

async function profileOf(...[of, at = place()]: Parameters<AgentSandbox['confine']> | [ReturnType<typeof entry>]) {
  const { profile } = await sandbox.confine(of, at);
  if (profile === undefined) throw new Error('there is a sandbox');
  return profile;
}

describe('an agent in its sandbox', () => {
  it('sees its roots, and of programs its own file with the packages around it', async () => {
    const script = file('agents/node_modules/@x/agent/dist/index.js');
    file('agents/node_modules/@x/agent/package.json', '{}');
    const profile = await profileOf(entry('/bin/sh', {}, [script, '--flag', join(base, 'home')]));
    expect(profile.roots).toEqual([{ path: join(base, 'project'), access: 'rw' }]);
    expect(profile.readOnly).toContain(join(base, 'agents/node_modules'));
    expect(profile.readOnly).not.toContain(home);
    expect(profile.readOnly.some((path) => path.startsWith(home))).toBe(false);
  });

  it('is started by the real path of a script that a link leads to, and sees what interprets it', async () => {
    const script = file('lib/node_modules/agent/cli.mjs', '#!/usr/bin/env own-node\n');
    const interpreter = file('bin/own-node');
    symlinkSync(script, join(base, 'bin/agent'));
    const confined = await sandbox.confine(entry('agent'), place());
    expect(confined.command).toBe(script);
    expect(confined.profile?.readOnly).toEqual(expect.arrayContaining([join(base, 'lib/node_modules'), interpreter]));
  });

  it('never sees a whole HOME or the data of Reeve for a package.json that lies there', async () => {
    file('home/package.json', '{}');
    file('package.json', '{}');
    const profile = await profileOf(entry(file('home/tools/agent')));
    expect(profile.readOnly).toEqual([join(home, 'tools/agent')]);
  });

  it('has a private HOME for each project, and in it what it keeps in the real one', async () => {
    const state = [join(home, '.agent'), join(home, '.gone'), join(base, 'elsewhere')];
    const settings = [file('home/.agent/settings.json'), join(home, '.agent/none.json')];
    const one = await profileOf(entry('/bin/sh', { state, settings }));
    const other = join(base, 'project', 'sub');
    mkdirSync(other);
    const two = await profileOf(entry('/bin/sh', { state }), { ...place(), cwd: other });
    expect(one.home.path).toBe(home);
    expect(one.home.directory).toMatch(new RegExp(`^${base}/data/homes/agent/`));
    expect(statSync(one.home.directory as string).mode & 0o777).toBe(0o700);
    expect(two.home.directory).not.toBe(one.home.directory);
    expect(one.state).toEqual([
      { path: join(home, '.agent'), directory: join(home, '.agent') },
      { path: join(base, 'elsewhere'), directory: expect.stringContaining(`${base}/data/homes/agent/`) },
    ]);
    expect(own(one.readOnly)).toEqual([join(home, '.agent/settings.json')]);
  });

  it('has the real HOME where a root holds it, but never the data of Reeve', async () => {
    const roots = [{ path: base, access: 'rw' as const }];
    const profile = await profileOf(entry('/bin/sh', { state: [join(home, '.agent')] }), place({ roots }));
    expect(profile.home).toEqual({ path: home, directory: home });
    expect(profile.state).toEqual([]);
    expect(profile.masked).toEqual([join(base, 'data')]);
  });

  it('sees the endpoints of its MCP servers, and no file that would have it start others', async () => {
    const shim = file('shims/shim.mjs');
    const socket = { path: '/run/reeve/fs.sock', socket: join(base, 'fs.sock') };
    const endpoints = { sockets: [socket], readOnly: [shim], hosts: ['127.0.0.1:4711'] };
    const masked = [join(base, 'project/.mcp.json')];
    const profile = await profileOf(entry('/bin/sh', { endpoints: [] }), { ...place(), endpoints, masked });
    expect(own(profile.readOnly)).toEqual([shim]);
    expect(profile).toMatchObject({ sockets: [socket], masked, network: { allow: ['127.0.0.1:4711'] } });
  });

  it('is given no variables that name directories which are not there inside', async () => {
    const named = entry('/bin/sh');
    const env = {
      ...named.env,
      XDG_RUNTIME_DIR: '/run/user/0',
      TMPDIR: base,
      XDG_CACHE_HOME: join(home, '.cache'),
      KEY: 'k',
    };
    const confined = await sandbox.confine({ ...named, env }, place());
    expect(Object.keys(confined.env).sort()).toEqual(['HOME', 'KEY', 'PATH', 'XDG_CACHE_HOME']);
  });

  it('is only declared where the configuration says so, whatever a client asks for', async () => {
    const wish = place({ require: 'declared' });
    await expect(sandbox.confine(entry('/bin/sh'), wish)).rejects.toMatchObject({ name: 'forbidden' });
    expect(await sandbox.confine(entry('/bin/sh', { require: 'declared' }), wish)).toMatchObject({
      require: 'declared',
    });
    const workspace = { ...wish, mayDeclare: true };
    expect(await sandbox.confine(entry('/bin/sh'), workspace)).toMatchObject({ require: 'declared' });
    expect(await sandbox.confine(entry('/bin/sh'), { ...place(), mayDeclare: true })).toMatchObject({
      require: 'enforced',
    });
    const strict = place({ require: 'enforced' });
    expect(await sandbox.confine(entry('/bin/sh', { require: 'declared' }), strict)).toMatchObject({
      require: 'enforced',
    });
    const off = createAgentSandbox({ dataDir: join(base, 'data'), hidden: [join(base, 'data')], home, enabled: false });
    await expect(off.confine(entry('/bin/sh'), place())).rejects.toMatchObject({
      data: { reason: 'no-sandbox' },
      next: expect.stringContaining('"sandbox.backend"'),
    });
    expect((await off.confine(entry('/bin/sh', { require: 'declared' }), place())).profile).toBeUndefined();
  });

  it('is told with the gaps of the sandbox, its own, and what it was shown', async () => {
    const confined = await sandbox.confine(entry('/bin/sh', { gaps: ['agent: odd'], endpoints: [] }), place());
    const held = {
      backend: 'bubblewrap',
      fs: 'enforced',
      network: 'enforced',
      limits: 'declared',
      limitsTier: 'none',
      gaps: ['limits: none'],
    } as const;
    expect(agentEnforcement(held, confined)).toEqual({
      ...held,
      gaps: ['limits: none', 'agent: odd'],
      shown: { home: confined.profile?.home.directory, readOnly: confined.profile?.readOnly, state: [] },
    });
    expect(agentEnforcement({ ...held, backend: 'none' }, confined).shown).toBeUndefined();
  });
});
