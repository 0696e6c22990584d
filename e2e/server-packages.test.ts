import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connectReeve, type GovernedServerDetails, type Reeve, type ReviewParams } from '@reeve/client';
import {
  type NpmPackage,
  type NpmRegistry,
  type SpawnedReeve,
  script,
  startNpmRegistry,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliRun, runCli } from '../apps/cli/src/cli.rig.ts';

const SLOW_MS = 120_000;
const SOON = { timeout: 60_000, interval: 100 } as const;
const SECRET = 'secret-of-a-package-7c1';

/** An MCP server that says its own version, of a package that ends the installation if its scripts are run. */
function serverPackage(version: string): NpmPackage {
  const program = `#!${process.execPath}
process.stdin.on('data', (data) => {
  for (const line of String(data).trim().split('\\n')) {
    const { id, method, params } = JSON.parse(line);
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '${version}' } },
      'tools/list': { tools: [] },
    };
    const body = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'unknown' } };
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
  }
});`;
  const manifest = { bin: { notes: 'server.js' }, scripts: { preinstall: 'exit 1', postinstall: 'exit 1' } };
  return { name: '@fake/notes', version, manifest, files: { 'server.js': program } };
}

let base: string;
let registry: NpmRegistry;
let reeve: SpawnedReeve;
let api: Reeve;
let session: string;

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-server-packages-')));
  registry = await startNpmRegistry([serverPackage('1.0.0')]);
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  reeve = await startReeve({ env: { HOME: base, PATH, npm_config_registry: registry.url } });
  api = connectReeve(reeve);
  const env = [{ name: 'NOTES_KEY', value: SECRET }];
  const mcpServers = [{ name: 'notes', command: 'npx', args: ['-y', '@fake/notes@latest'], env }];
  session = (await api.sessions.create({ cwd: base, mcpServers, metadata: {} })).session.sessionId;
}, SLOW_MS);
afterAll(async () => {
  await reeve?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const cli = (...args: readonly string[]): Promise<CliRun> =>
  runCli(args, { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base });
const show = (): Promise<GovernedServerDetails> => api.servers.show(session, 'notes');

/** What a person is asked. */
async function review(): Promise<ReviewParams> {
  await expect.poll(() => api.requests.list({ session }), SOON).toHaveLength(1);
  const [request] = await api.requests.list({ session });
  return request?.params as ReviewParams;
}

/** What the server says of itself, when the agent has called it. */
async function claimed(): Promise<unknown> {
  await api.sessions.prompt(session, {
    prompt: script({ mcp: { server: 'notes', method: 'tools/list', params: {} } }),
  });
  return (await show()).identity?.claimed;
}

/** As the registry gives it. */
async function integrityOf(version: string): Promise<string> {
  const { versions } = (await (await fetch(`${registry.url}@fake%2fnotes`)).json()) as {
    versions: Record<string, { dist: { integrity: string } }>;
  };
  return versions[version]?.dist.integrity ?? 'none';
}

it(
  'is reviewed with its exact version and the sha512 of its archive, which is what runs and is shown then, though its tag moves',
  async () => {
    const named = { registry: 'npm', spec: '@fake/notes@latest', name: '@fake/notes' };
    const first = { ...named, version: '1.0.0', integrity: await integrityOf('1.0.0') };
    expect((await review()).server).toMatchObject({
      package: { kind: 'resolved', ...first },
      variables: ['NOTES_KEY'],
    });
    expect(registry.asked.filter((path) => path.includes('/-/'))).toEqual([]);
    const [request] = await api.requests.list({ session });
    const asked = (await cli('requests', 'show', request?.id ?? '')).stdout;
    expect(asked).toContain(`@fake/notes 1.0.0, ${first.integrity}: what "@fake/notes@latest" is now`);
    expect(asked).toContain('NOTES_KEY');

    registry.publish(serverPackage('2.0.0'));
    expect((await cli('servers', 'approve', 'notes', '--scope', 'always')).code).toBe(0);
    await expect.poll(claimed, SOON).toEqual({ name: 'notes', version: '1.0.0' });
    expect((await show()).identity?.package).toEqual({ kind: 'pinned', ...first });
    const shown = (await cli('servers', 'show', 'notes')).stdout;
    expect(shown).toContain(`@fake/notes 1.0.0, ${first.integrity}: pinned`);
    expect(`${asked}${shown}${JSON.stringify(await show())}`).not.toContain(SECRET);
  },
  SLOW_MS,
);

it(
  'is looked up and reviewed anew when its server was forgotten',
  async () => {
    expect((await cli('servers', 'forget', 'notes')).code).toBe(0);
    const { server } = await review();
    expect(server).toMatchObject({
      changed: false,
      package: { kind: 'resolved', version: '2.0.0', integrity: await integrityOf('2.0.0') },
    });
    expect((await show()).state).toBe('waiting');
    expect((await cli('servers', 'approve', 'notes')).code).toBe(0);
    await expect.poll(claimed, SOON).toEqual({ name: 'notes', version: '2.0.0' });
    expect((await show()).identity?.package).toMatchObject({ kind: 'pinned', version: '2.0.0' });
  },
  SLOW_MS,
);
