import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectReeve } from '@reeve/client';
import type { AgentVersion } from '@reeve/protocol';
import {
  connectWebSocket,
  fakeAgentCommand,
  fakeAgentPackage,
  type JsonRpcPeer,
  type NpmRegistry,
  type SpawnedReeve,
  startNpmRegistry,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../apps/cli/src/cli.rig.ts';
import { pathWithoutAgents } from './path-without-agents.ts';

const PACKAGE = '@acme/fake-agent';
const META = 'sandboxagent.dev';
const cwd = tmpdir();

interface Created {
  readonly sessionId: string;
  /** Only the installed agent has it. */
  readonly models?: unknown;
  readonly _meta: Readonly<Record<string, { readonly agentVersion?: AgentVersion }>>;
}

/** A whole server, its command line, and a registry on this machine: nothing leaves it. */
describe('versions of an agent', () => {
  let registry: NpmRegistry;
  let reeve: SpawnedReeve;
  let home: string;
  const open = new AsyncDisposableStack();
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'reeve-versions-'));
    open.defer(() => rm(home, { recursive: true, force: true }));
    registry = await startNpmRegistry(
      ['1.0.0', '2.0.0', '2.1.0', '3.0.0'].map((each) => fakeAgentPackage(PACKAGE, each)),
    );
    open.defer(() => registry[Symbol.asyncDispose]());
    const fake = {
      ...fakeAgentCommand(['--agent-version=1.0.0']),
      npm: { package: PACKAGE, args: ['--no-load', '--models'] },
    };
    const absent = { command: 'no-such-agent', npm: { package: PACKAGE } };
    reeve = await startReeve({
      config: { agents: { fake, alone: fakeAgentCommand(), absent }, defaultAgent: 'fake', store: 'sqlite' },
      env: { HOME: home, PATH: await pathWithoutAgents(home), npm_config_registry: registry.url },
    });
    open.defer(() => reeve[Symbol.asyncDispose]());
  });
  afterAll(() => open.disposeAsync());

  async function connect(agent = 'fake'): Promise<JsonRpcPeer> {
    const url = `${reeve.url.replace('http', 'ws')}/acp?agent=${agent}&access_token=${reeve.token}`;
    const peer = await connectWebSocket(url, {});
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    return peer;
  }

  const asking = (agentVersionRequested: unknown) => ({
    cwd,
    mcpServers: [],
    _meta: { [META]: { agentVersionRequested } },
  });

  const cli = (...args: string[]) =>
    runCli(['agents', ...args, '--url', reeve.url, '--token', reeve.token], { HOME: home });

  it('are installed and listed by the command line and the SDK', async () => {
    const installed = await cli('install', 'fake@^2.0.0', '--json');
    expect(installed.stderr).toMatch(/^resolving: .*\ndownloading: .*\nchecking: .*\ndone: /);
    expect(JSON.parse(installed.stdout)).toMatchObject({ agent: 'fake', package: PACKAGE, version: '2.1.0' });
    const listed = await cli('versions', 'fake');
    expect(
      listed.stdout
        .split('\n')
        .slice(1, 5)
        .map((line) => line.trim().replaceAll(/ {2,}/g, ': ')),
    ).toEqual(['3.0.0: latest', '2.1.0: installed', '2.0.0', '1.0.0: configured']);
    const client = connectReeve(reeve);
    expect(await client.agents.versions('alone')).toMatchObject({ agent: 'alone', configured: '1.0.0', available: [] });
    const phases: string[] = [];
    const again = await client.agents.install('fake', {
      version: '2.1.0',
      onProgress: ({ phase }) => phases.push(phase),
    });
    expect(again.version).toBe('2.1.0');
    expect(phases).toEqual([]);
  });

  it('that do not exist are refused by the command line with what there is', async () => {
    const wrong = await cli('install', 'fake@9');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('"available":["3.0.0","2.1.0"')]);
    expect((await cli('install', 'alone')).stderr).toContain('no npm package is configured');
    expect((await cli('install', 'nobody')).stderr).toContain('there is no agent "nobody"');
    expect((await cli('install', 'fake@../../x')).stderr).toContain('version: send a version');
    expect(await readdir(join(reeve.dataDir, 'packages'))).toEqual(['@acme']);
  });

  it('run in the session that asked, which goes on with the same after a restart of the server', async () => {
    const peer = await connect();
    const created = await peer.request<Created>('session/new', asking('2.x'));
    const version = { requested: '2.x', running: '2.1.0', source: 'installed' };
    expect(created._meta[META]?.agentVersion).toEqual(version);
    expect(created.models).toBeDefined();
    const plain = await peer.request<Created>('session/new', { cwd, mcpServers: [] });
    expect(plain._meta[META]).not.toHaveProperty('agentVersion');
    expect(plain.models).toBeUndefined();
    peer.close();

    registry.publish(fakeAgentPackage(PACKAGE, '2.9.0'));
    reeve = await reeve.restart();
    const client = connectReeve(reeve);
    expect((await client.sessions.show(created.sessionId)).agentVersion).toEqual(version);
    const back = await connect();
    const loaded = await back.request('session/load', { sessionId: created.sessionId, cwd, mcpServers: [] });
    expect(loaded).toMatchObject({ _meta: { [META]: { agentVersion: version } } });
    expect(await back.request('session/list', {})).toMatchObject({
      sessions: expect.arrayContaining([
        expect.objectContaining({
          sessionId: created.sessionId,
          _meta: { [META]: expect.objectContaining({ agentVersion: version }) },
        }),
      ]),
    });
    await back.request('session/prompt', { sessionId: created.sessionId, prompt: [{ type: 'text', text: 'again' }] });
    expect((await client.sessions.show(created.sessionId)).agentVersion).toEqual(version);
    expect(existsSync(join(reeve.dataDir, 'packages', PACKAGE, '2.9.0'))).toBe(false);
    back.close();
  });

  it('are all that there is of a known agent whose program is not on the PATH', async () => {
    registry.publish(fakeAgentPackage('cline', '4.0.0'));
    const client = connectReeve(reeve);
    const names = async () => (await client.agents.list()).map(({ name }) => name);
    expect(await names()).toEqual(['fake', 'alone', 'absent']);
    expect(await client.agents.installable()).toContainEqual({ name: 'cline', package: 'cline' });
    expect((await cli('install', 'cline')).code).toBe(0);
    expect((await client.agents.installable()).map(({ name }) => name)).not.toContain('cline');
    expect(await names()).toEqual(['fake', 'alone', 'absent', 'cline']);
    reeve = await reeve.restart();
    const peer = await connect('cline');
    expect(await peer.request('session/new', asking('4.x'))).toMatchObject({
      _meta: { [META]: { agent: 'cline', agentVersion: { running: '4.0.0', source: 'configured' } } },
    });
    peer.close();
  });

  it('stand in for a configured command that is not there', async () => {
    const client = connectReeve(reeve);
    await client.agents.install('absent', { version: '3.0.0' });
    expect((await client.agents.list()).find(({ name }) => name === 'absent')).toMatchObject({ available: true });
    expect(await client.agents.check('absent')).toMatchObject({
      ok: true,
      initialize: { agentInfo: { version: '3.0.0' } },
    });
  });

  it('that are not to be had are an error that lists what is', async () => {
    const peer = await connect();
    await expect(peer.request('session/new', asking('^7'))).rejects.toMatchObject({
      code: -32602,
      data: {
        requested: '^7',
        configured: '1.0.0',
        installed: ['3.0.0', '2.1.0'],
        available: expect.arrayContaining(['3.0.0']),
      },
    });
    await expect(peer.request('session/new', asking('git+https://example.org/x'))).rejects.toMatchObject({
      code: -32602,
    });
    peer.close();
  });
});
