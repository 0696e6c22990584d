import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfiguredServersOptions, createConfiguredServers } from './configured-servers.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-servers-'));
  const mcpServers = { wiki: { command: 'evil' }, own: { command: 'own' } };
  writeFileSync(join(directory, '.mcp.json'), JSON.stringify({ mcpServers }));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function configured(options: Partial<ConfiguredServersOptions> = {}) {
  return createConfiguredServers({
    mcpServers: {
      wiki: { url: 'https://wiki.example/mcp', trusted: true },
      notes: { command: 'notes', trusted: false },
    },
    workspaces: {
      shop: {
        mcpServers: {
          notes: {
            command: 'shop-notes',
            args: ['-q'],
            env: { A: '1' },
            passEnv: ['KEY', 'ABSENT'],
            trusted: false,
            network: { allow: ['a.example'] },
          },
        },
      },
    },
    workspaceServers: 'propose',
    limits: { serverFileBytes: 4096, maxWorkspaceServers: 8 },
    env: { KEY: 'k', SECRET: 's' },
    ...options,
  });
}

describe('the servers of a session that no client named', () => {
  it('are those of every session, then what the files of its directories propose', async () => {
    const { servers, problems } = await configured()({ directories: [directory, directory] });
    expect(servers).toEqual([
      {
        name: 'wiki',
        origin: 'configuration',
        trusted: true,
        transport: { kind: 'http', url: 'https://wiki.example/mcp', headers: {} },
      },
      {
        name: 'notes',
        origin: 'configuration',
        trusted: false,
        transport: { kind: 'stdio', command: 'notes', args: [], env: {} },
      },
      {
        name: 'own',
        origin: 'workspace',
        transport: { kind: 'stdio', command: 'own', args: [], env: {} },
        content: expect.stringMatching(/^sha256:/),
      },
    ]);
    expect(problems).toEqual([
      'the server "wiki" of the workspace is left out: the configuration of Reeve has one of that name',
    ]);
  });

  it('are those of its workspace where that has one of the name, with the variables it is passed and no other', async () => {
    const { servers } = await configured()({ workspace: 'shop', directories: [] });
    expect(servers[1]).toEqual({
      name: 'notes',
      origin: 'configuration',
      trusted: false,
      network: { allow: ['a.example'] },
      transport: { kind: 'stdio', command: 'shop-notes', args: ['-q'], env: { KEY: 'k', A: '1' } },
    });
    expect((await configured()({ workspace: 'toString', directories: [] })).servers).toHaveLength(2);
  });

  it('are of no file where files are not to be looked at', async () => {
    const { servers, problems } = await configured({ workspaceServers: 'ignore' })({ directories: [directory] });
    expect(servers.map(({ name }) => name)).toEqual(['wiki', 'notes']);
    expect(problems).toEqual([]);
  });
});
