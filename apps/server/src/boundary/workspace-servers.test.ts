import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workspaceServers } from './workspace-servers.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-servers-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const limits = { serverFileBytes: 4096, maxWorkspaceServers: 4 };

function write(name: string, value: unknown): void {
  mkdirSync(join(directory, name, '..'), { recursive: true });
  writeFileSync(join(directory, name), typeof value === 'string' ? value : JSON.stringify(value));
}

async function contentOf(entry: unknown): Promise<string | undefined> {
  write('.mcp.json', { mcpServers: { a: entry } });
  const { servers } = await workspaceServers(directory, limits);
  return servers[0]?.content;
}

describe('the servers that files of a workspace propose', () => {
  it('are those of .mcp.json and of .vscode/mcp.json, in that order, comments and all', async () => {
    write('.mcp.json', { mcpServers: { files: { command: './run', args: ['-x'], env: { KEY: 'v' } } } });
    write(
      '.vscode/mcp.json',
      `{ // of the editor\n"inputs": [], "servers": {"wiki": {"type": "http", "url": "https://wiki.example/mcp", "headers": {"A": "b"}}, "old": {"type": "sse", "url": "http://old.example"}, "here": {"command": "x", "args": ["\${workspaceFolder}/y"]},}}`,
    );
    const { servers, problems } = await workspaceServers(directory, limits);
    expect(problems).toEqual([]);
    expect(servers.map(({ name, origin, transport }) => ({ name, origin, transport }))).toEqual([
      {
        name: 'files',
        origin: 'workspace',
        transport: { kind: 'stdio', command: join(directory, 'run'), args: ['-x'], env: { KEY: 'v' } },
      },
      {
        name: 'wiki',
        origin: 'workspace',
        transport: { kind: 'http', url: 'https://wiki.example/mcp', headers: { A: 'b' } },
      },
      { name: 'old', origin: 'workspace', transport: { kind: 'sse', url: 'http://old.example', headers: {} } },
      {
        name: 'here',
        origin: 'workspace',
        transport: { kind: 'stdio', command: 'x', args: [`${directory}/y`], env: {} },
      },
    ]);
  });

  it('are pinned by all that their entry says, whatever the order of its members', async () => {
    const first = await contentOf({ command: 'x', args: ['1'], env: { A: '1', B: '2' } });
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await contentOf({ env: { B: '2', A: '1' }, args: ['1'], command: 'x' })).toBe(first);
    for (const changed of [
      { command: 'y', args: ['1'], env: { A: '1', B: '2' } },
      { command: 'x', args: ['1', '2'], env: { A: '1', B: '2' } },
      { command: 'x', args: ['1'], env: { A: '1', B: '3' } },
      { command: 'x', args: ['1'], env: { A: '1', B: '2' }, timeout: 5 },
    ]) {
      expect(await contentOf(changed)).not.toBe(first);
    }
  });

  it('are given no variable of the environment of Reeve', async () => {
    process.env.REEVE_TEST_SECRET = 's3cret';
    try {
      write('.mcp.json', {
        mcpServers: {
          a: { command: 'x', env: { KEY: `\${REEVE_TEST_SECRET}` } },
          b: { url: `https://b.example/\${REEVE_TEST_SECRET:-none}` },
          c: { command: `\${env:REEVE_TEST_SECRET}` },
          d: { command: 'x', envFile: '.env' },
        },
      });
      const { servers, problems } = await workspaceServers(directory, limits);
      expect(servers).toEqual([]);
      expect(problems.join('\n')).not.toContain('s3cret');
      expect(problems[0]).toBe(
        '.mcp.json: the server "a" needs the variable "REEVE_TEST_SECRET", which Reeve fills in for no file of a workspace: write the server under "mcpServers" of Reeve\'s configuration',
      );
      expect(problems).toHaveLength(4);
    } finally {
      delete process.env.REEVE_TEST_SECRET;
    }
  });

  it.each([
    ['nothing', {}],
    ['a text', 'x'],
    ['a command that is no text', { command: 1 }],
    ['arguments that are no texts', { command: 'x', args: [1] }],
    ['an environment that is no object of texts', { command: 'x', env: { A: 1 } }],
    ['an address of another kind', { url: 'file:///etc/passwd' }],
    ['a header with a line break', { url: 'http://a', headers: { A: 'x\r\nB: y' } }],
    ['an unknown type', { type: 'ws', url: 'ws://a' }],
    ['NUL in its command', { command: 'x\0' }],
  ])('are none with %s, and it is said why', async (_, entry) => {
    write('.mcp.json', { mcpServers: { a: entry, ok: { command: 'x' } } });
    const { servers, problems } = await workspaceServers(directory, limits);
    expect(servers.map(({ name }) => name)).toEqual(['ok']);
    expect(problems).toEqual([expect.stringMatching(/^\.mcp\.json: the server "a" .*: write /)]);
  });

  it.each(['NODE_OPTIONS', 'LD_PRELOAD', 'PYTHONPATH', 'BASH_ENV', 'PATH'])(
    'are none with %s, which would have other code run than the command that a person is shown',
    async (name) => {
      write('.mcp.json', { mcpServers: { a: { command: 'node', args: ['server.js'], env: { [name]: './x' } } } });
      const { servers, problems } = await workspaceServers(directory, limits);
      expect(servers).toEqual([]);
      expect(problems).toEqual([expect.stringMatching(new RegExp(`"a" sets ${name}, .*: write it into the command`))]);
      write('.mcp.json', { mcpServers: { a: { command: '/usr/bin/node', env: { PATH: '/usr/bin', NODE_ENV: 'x' } } } });
      expect((await workspaceServers(directory, limits)).servers).toHaveLength(1);
    },
  );

  it.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a member of another kind', '{"mcpServers": []}'],
    ['a nesting without end', `{"mcpServers": {"a": ${'['.repeat(200)}${']'.repeat(200)}}}`],
  ])('are none in a file with %s', async (_, text) => {
    write('.mcp.json', text);
    expect(await workspaceServers(directory, limits)).toMatchObject({ servers: [], problems: [expect.any(String)] });
  });

  it('are taken from no link, no directory, no pipe, and nothing outside of the directory', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'reeve-elsewhere-'));
    writeFileSync(join(elsewhere, 'mcp.json'), JSON.stringify({ servers: { a: { command: 'x' } } }));
    symlinkSync(elsewhere, join(directory, '.vscode'));
    symlinkSync(join(elsewhere, 'mcp.json'), join(directory, '.mcp.json'));
    const linked = await workspaceServers(directory, limits);
    rmSync(join(directory, '.mcp.json'));
    rmSync(join(directory, '.vscode'));
    rmSync(elsewhere, { recursive: true });
    expect(linked.servers).toEqual([]);
    expect(linked.problems).toHaveLength(2);
    mkdirSync(join(directory, '.mcp.json'));
    mkdirSync(join(directory, '.vscode'));
    execFileSync('mkfifo', [join(directory, '.vscode/mcp.json')]);
    const strange = await workspaceServers(directory, limits);
    expect(strange).toEqual({
      servers: [],
      problems: ['.mcp.json is no plain file: make it one', '.vscode/mcp.json is no plain file: make it one'],
    });
  });

  it('are read from a file of serverFileBytes, and from none that is longer', async () => {
    const text = JSON.stringify({ mcpServers: { a: { command: 'x' } } });
    write('.mcp.json', text.padEnd(4096));
    expect((await workspaceServers(directory, limits)).servers).toHaveLength(1);
    write('.mcp.json', text.padEnd(4097));
    const longer = await workspaceServers(directory, limits);
    expect(longer).toEqual({ servers: [], problems: ['.mcp.json is longer than 4096 bytes (limits.serverFileBytes)'] });
  });

  it('are maxWorkspaceServers at most, of both files together', async () => {
    const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { command: name }]));
    write('.mcp.json', { mcpServers: named('a', 'b', 'c') });
    write('.vscode/mcp.json', { servers: named('a', 'd') });
    expect(await workspaceServers(directory, limits)).toMatchObject({ servers: { length: 4 }, problems: [] });
    write('.vscode/mcp.json', { servers: named('d', 'e', 'f') });
    const { servers, problems } = await workspaceServers(directory, limits);
    expect(servers.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
    expect(problems).toEqual([
      '.vscode/mcp.json: the server "e" is left out: more than 4 are proposed (limits.maxWorkspaceServers)',
    ]);
  });

  it('are told apart where two files have different ones of a name', async () => {
    write('.mcp.json', { mcpServers: { a: { command: 'x' } } });
    write('.vscode/mcp.json', { servers: { a: { command: 'y' } } });
    const { servers, problems } = await workspaceServers(directory, limits);
    expect(servers).toMatchObject([{ transport: { command: 'x' } }]);
    expect(problems).toEqual([
      '.vscode/mcp.json: the server "a" is left out: an earlier file has another one of that name',
    ]);
  });

  it('are none where there are no files', async () => {
    expect(await workspaceServers(join(directory, 'nowhere'), limits)).toEqual({ servers: [], problems: [] });
  });
});
