import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownServers } from './own-servers.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-own-servers-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(path: string, text: string): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

const SERVERS = JSON.stringify({ mcpServers: { one: { command: 'x' }, two: { url: 'y' } } });

/** An index of version 2 with one entry; only what is looked at is as git writes it. */
function index(...paths: readonly string[]): string {
  const header = Buffer.alloc(12);
  header.write('DIRC');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(paths.length, 8);
  return Buffer.concat([header, ...paths.map((path) => Buffer.from(`${'\u0001'.repeat(62)}${path}\0`))]).toString(
    'latin1',
  );
}

describe('the MCP servers that an agent would start by itself', () => {
  it('are masked where a file names nothing else, and told where it must be seen', async () => {
    const masked = [file('.mcp.json', SERVERS), file('.cursor/mcp.json', SERVERS)];
    const codex = file(
      '.codex/config.toml',
      'model = "x"\n[mcp_servers.three]\ncommand = "x"\n[mcp_servers.three.env]\n',
    );
    const own = await ownServers([{ path: root }], [], true);
    expect(own.masked).toEqual(masked);
    expect(own.servers).toEqual([{ name: 'three', origin: 'agent', governed: false, state: 'unknown', from: codex }]);
  });

  it('are told and not masked where nothing confines the agent', async () => {
    const path = file('.mcp.json', SERVERS);
    expect(await ownServers([{ path: root }], [], false)).toMatchObject({
      masked: [],
      servers: [
        { name: 'one', from: path },
        { name: 'two', from: path },
      ],
    });
  });

  it('are told and not masked where git tracks the file: a commit would empty it', async () => {
    file('.mcp.json', SERVERS);
    file('.git/index', index('README.md', '.mcp.json'));
    expect(await ownServers([{ path: root }], [], true)).toMatchObject({ masked: [], servers: [{}, {}] });
    file('.git/index', index('README.md'));
    expect((await ownServers([{ path: root }], [], true)).masked).toHaveLength(1);
  });

  it('are told and not masked where the file is a link: it could be replaced', async () => {
    symlinkSync(file('elsewhere.json', SERVERS), join(root, '.mcp.json'));
    expect(await ownServers([{ path: root }], [], true)).toMatchObject({ masked: [], servers: [{}, {}] });
  });

  it('are found in the settings of the user, with comments in them', async () => {
    const settings = file('opencode.jsonc', '{ // mine\n "mcp": { "a": { "url": "http://x//y", }, } }');
    expect((await ownServers([], [settings, join(root, 'none.json')], true)).servers).toMatchObject([
      { name: 'a', from: settings },
    ]);
  });

  it('are told by the name of the file where it cannot be understood', async () => {
    const path = file('.gemini/settings.json', '{ "mcpServers": {');
    expect((await ownServers([{ path: root }], [], true)).servers).toMatchObject([
      { name: 'settings.json', from: path },
    ]);
  });
});
