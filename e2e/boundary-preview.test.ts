import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BoundaryPreview, connectReeve, type NewSession, type Reeve } from '@reeve/client';
import { fakeAgentCommand, type SpawnedReeve, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../apps/cli/src/cli.rig.ts';

const top = resolve(import.meta.dirname, '..');
const SLOW_MS = 120_000;
const SECRET = 'secret-that-no-preview-tells-71';

let base: string;
let reeve: SpawnedReeve;
let api: Reeve;
const at = (name: string): string => join(base, name);

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-preview-')));
  for (const name of ['shop', 'shop/.git', 'shop/src', 'shop/src/deep', 'elsewhere', 'elsewhere/hidden']) {
    mkdirSync(at(name));
  }
  symlinkSync(at('elsewhere'), at('shop/way-out'));
  symlinkSync(at('shop'), at('to-shop'));
  const started = { command: '/bin/sh', args: ['-c', `touch ${at('started')}`], env: { KEY: SECRET } };
  writeFileSync(at('shop/.mcp.json'), JSON.stringify({ mcpServers: { proposed: started, broken: {} } }));
  mkdirSync(at('shop/.codex'));
  writeFileSync(at('shop/.codex/config.toml'), '[mcp_servers.own]\ncommand = "own"\n');
  const config = {
    sandbox: {},
    agents: { fake: { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } } },
    defaultAgent: 'fake',
    limits: { maxListedDirectories: 3 },
    workspaces: { shop: { roots: [{ path: at('to-shop'), access: 'rw' }], mcpServers: { notes: started } } },
  };
  reeve = await startReeve({ config });
  api = connectReeve(reeve);
}, SLOW_MS);
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const client = (name: string, more: object = {}) => ({
  name,
  command: '/bin/sh',
  args: ['-c', `touch ${at('started')}`],
  env: [{ name: 'KEY', value: SECRET }],
  ...more,
});

function server(preview: BoundaryPreview, name: string): BoundaryPreview['servers'][number] | undefined {
  return preview.servers.find(({ identity }) => identity.name === name);
}

describe('the preview of a session', () => {
  it('says what each directory is, what holds it, and what becomes of each MCP server and root', async () => {
    const preview = await api.boundaries.preview({
      cwd: at('shop'),
      mcpServers: [
        client('files'),
        {
          type: 'http',
          name: 'wiki',
          url: `https://me:${SECRET}@w.example/mcp?k=${SECRET}`,
          headers: [{ name: 'X', value: SECRET }],
        },
      ],
      metadata: { workspace: 'shop', mcpServersOff: ['proposed'] },
    });
    expect(preview).toMatchObject({
      cwd: at('shop'),
      roots: [{ path: at('shop'), access: 'rw', inProject: true, highRisk: false, workspace: 'shop' }],
      network: 'none',
      enforcement: { backend: 'bubblewrap', files: 'enforced', network: 'enforced' },
      issues: [],
      notes: [expect.stringContaining('broken')],
      ungoverned: [{ name: 'own', from: at('shop/.codex/config.toml') }],
    });
    expect(preview.servers.map(({ identity, off, start }) => [identity.name, identity.origin, off, start])).toEqual([
      ['files', 'client', false, 'ask_user'],
      ['wiki', 'client', false, 'ask_user'],
      ['notes', 'configuration', false, 'allow'],
      ['proposed', 'workspace', true, 'ask_user'],
    ]);
    expect(server(preview, 'files')).toMatchObject({
      identity: { command: '/bin/sh', args: ['-c', `touch ${at('started')}`], sandboxed: true, changed: false },
      roots: [{ path: at('shop'), outcome: 'allow', allowed: 'rw' }],
    });
    expect(server(preview, 'wiki')).toMatchObject({ identity: { url: 'https://w.example/mcp' } });
    expect(server(preview, 'notes')?.policies.length).toBeGreaterThan(0);
    expect(JSON.stringify(preview)).not.toContain(SECRET);
  });

  it('starts, asks, grants and records nothing', async () => {
    const audited = async () => (await api.audit.list({ limit: 1 })).records[0]?.seq;
    const before = await audited();
    const roots = [
      { path: at('shop'), access: 'rw' },
      { path: at('elsewhere'), access: 'rw' },
      { path: '/etc', access: 'ro' },
    ];
    const preview = await api.boundaries.preview({
      cwd: at('shop'),
      mcpServers: [client('files')],
      metadata: { boundary: { roots } },
    });
    expect(preview.roots.map(({ risks, highRisk }) => [risks[0], highRisk])).toEqual([
      ['ordinary', false],
      ['outside_project', false],
      ['system_directory', true],
    ]);
    expect(server(preview, 'files')?.roots.map(({ outcome }) => outcome)).toEqual(['allow', 'ask_user', 'ask_admin']);
    expect(existsSync(at('started'))).toBe(false);
    expect((await api.sessions.list()).sessions).toEqual([]);
    expect(await api.requests.list()).toEqual([]);
    expect(await api.grants.list()).toEqual([]);
    expect((await api.servers.list()).servers).toEqual([]);
    expect(await audited()).toBe(before);
  });

  it('says what keeps the session from being made, as making it does, and tells of the rest', async () => {
    const roots = [at('shop'), at('no-such'), '/proc', '/'].map((path) => ({ path, access: 'rw' }));
    const wanted: NewSession = { cwd: at('shop'), metadata: { boundary: { roots } } };
    const preview = await api.boundaries.preview(wanted);
    expect(preview.roots.map(({ path }) => path)).toEqual([at('shop')]);
    expect(preview.issues.map(({ received }) => received).sort()).toEqual([
      'a place of the system, "/proc"',
      'nothing there',
      'the whole file system',
    ]);
    await expect(api.sessions.create(wanted)).rejects.toMatchObject({ code: 'invalid_params' });
    const outside = await api.boundaries.preview({ cwd: at('elsewhere'), metadata: { workspace: 'shop' } });
    expect(outside.issues).toMatchObject([{ path: 'cwd', expected: 'a directory inside a root' }]);
    const declared = { boundary: { require: 'declared' } };
    expect((await api.boundaries.preview({ cwd: at('shop'), metadata: declared })).refusal).toContain('require');
    const more = { boundary: { network: 'full' } };
    expect((await api.boundaries.preview({ cwd: at('shop'), metadata: more })).refusal).toContain('network');
  });

  it.each([
    ['no directory', {}],
    ['a relative one', { cwd: 'shop' }],
    ['NUL in it', { cwd: '/a\0b' }],
    ['an agent that is not there', { agent: 'nobody', cwd: '/' }],
    ['a workspace that is not there', { cwd: '/', metadata: { workspace: '__proto__' } }],
    ['a boundary that is none', { cwd: '/', metadata: { boundary: [] } }],
    ['servers that are none', { cwd: '/', mcpServers: [{ name: 'a', command: 5, env: SECRET }] }],
    [
      'two servers of one name',
      { cwd: '/', mcpServers: [0, 1].map(() => ({ name: 'a', command: 'a', args: [], env: [] })) },
    ],
    ['servers to go without that are no list', { cwd: '/', metadata: { mcpServersOff: 5 } }],
    ['members that nobody knows', { cwd: '/', start: true }],
  ])('is refused with the next step for %s', async (_what, body) => {
    const call = api.boundaries.preview(body as never);
    await expect(call).rejects.toMatchObject({ code: 'invalid_params', status: 400 });
    await expect(call).rejects.not.toThrow(SECRET);
  });

  it('is had at the command line', async () => {
    const run = (...args: string[]) =>
      runCli(['roots', 'preview', ...args], { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base });
    const shop = await run(at('shop'), '/etc:ro', '--mcp-server', 'files=/bin/true');
    expect(shop.stdout).toContain(`${at('shop')}: read and write; in the workspace "shop"`);
    expect(shop.stdout).toMatch(/\/etc: read only; HIGH RISK: system directory/);
    expect(shop.stdout).toMatch(/server "files" \(client\): starts once a user approves/);
    expect(shop.stdout).toMatch(/\/etc \(ro\): once an administrator approves/);
    expect(shop.stdout).toContain('server "own" is started by the agent itself, PAST REEVE');
    const json = await run('--workspace', 'shop', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ cwd: at('shop') });
    expect(await run(at('no-such'))).toMatchObject({ code: 1, stdout: expect.stringContaining('NOT POSSIBLE') });
    expect((await run()).code).toBe(2);
  });
});

describe('the directories of a workspace', () => {
  it('are those below its roots, no links, and no more than limits.maxListedDirectories', async () => {
    expect(await api.workspaces.directories('shop')).toEqual({
      directories: [{ name: 'shop', path: at('shop') }],
      cut: false,
    });
    expect(await api.workspaces.directories('shop', at('shop'))).toEqual({
      path: at('shop'),
      directories: [
        { name: '.codex', path: at('shop/.codex') },
        { name: '.git', path: at('shop/.git') },
        { name: 'src', path: at('shop/src') },
      ],
      cut: false,
    });
    mkdirSync(at('shop/third'));
    expect(await api.workspaces.directories('shop', at('shop'))).toMatchObject({ cut: true });
    expect((await api.workspaces.directories('shop', at('to-shop/src'))).directories).toEqual([
      { name: 'deep', path: at('shop/src/deep') },
    ]);
  });

  it('are of no place outside, whatever leads there', async () => {
    for (const path of ['/', '/etc', base, at('elsewhere'), at('shop/way-out'), `${at('shop')}/../elsewhere`]) {
      await expect(api.workspaces.directories('shop', path)).rejects.toMatchObject({ code: 'forbidden' });
    }
    for (const path of [at('shop/.mcp.json'), at('shop/no-such')]) {
      await expect(api.workspaces.directories('shop', path)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(api.workspaces.directories('constructor')).rejects.toMatchObject({ code: 'not_found' });
    await expect(api.workspaces.directories('shop', 'src')).rejects.toMatchObject({ code: 'invalid_params' });
  });
});
