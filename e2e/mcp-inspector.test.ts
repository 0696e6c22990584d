import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@reeve/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, FILESYSTEM, type GatewayRig, openGateway } from '../apps/server/src/mcp/gateway.rig.ts';

const INSPECTOR = createRequire(new URL('./agents/package.json', import.meta.url)).resolve(
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
/** Each call is a process of its own, which says hello to a server of its own. */
const CALL_MS = 60_000;

/** Where the Inspector finds a server: a command, or an address with its headers. */
type Target = readonly string[];

describe('the command line of the MCP Inspector in place of an agent', { timeout: 4 * CALL_MS }, () => {
  let folder: string;
  let root: string;

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'reeve-inspector-')));
    root = join(folder, 'root');
    for (const place of [root, join(folder, 'outside')]) await mkdir(place);
    await writeFile(join(root, 'note.txt'), 'the word is heron');
    await writeFile(join(folder, 'outside', 'note.txt'), 'the word is cormorant');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The result that the Inspector prints; what it prints beside that goes to stderr. */
  async function inspect(target: Target, ...asked: readonly string[]): Promise<JsonObject> {
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const args = [INSPECTOR, '--cli', ...target, ...asked];
      const env = { PATH: process.env.PATH, HOME: folder };
      execFile(process.execPath, args, { env, timeout: CALL_MS }, (_error, out, err) =>
        resolve({ stdout: out, stderr: err }),
      );
    });
    const result: unknown = stdout.trim() === '' ? undefined : JSON.parse(stdout);
    if (!isObject(result)) throw new Error(`the Inspector printed no result: ${stderr.slice(-2000)}`);
    return result;
  }

  const call = (tool: string, args: Readonly<Record<string, string>>): readonly string[] => [
    ...['--method', 'tools/call', '--tool-name', tool],
    ...Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${value}`]),
  ];
  const byCommand = ({ entry }: GatewayRig): Target => [entry.command, ...entry.args];
  const byHttp = ({ entry: { url, headers } }: GatewayRig): Target => [
    ...[url, '--transport', 'http'],
    ...headers.flatMap(({ name, value }) => ['--header', `${name}: ${value}`]),
  ];

  it.each([
    ['a command', 'stdio', byCommand],
    ['streamable HTTP', 'http', byHttp],
  ] as const)('sees of a server by %s what it sees of it direct', async (_way, endpoint, target) => {
    await using rig = await openGateway({ args: [EVERYTHING, 'stdio'], endpoint, trusted: true });
    const direct = [process.execPath, EVERYTHING, 'stdio'];
    for (const method of ['tools/list', 'resources/templates/list', 'prompts/list']) {
      expect(await inspect(target(rig), '--method', method)).toEqual(await inspect(direct, '--method', method));
    }
    const echo = call('echo', { message: 'a heron' });
    expect(await inspect(target(rig), ...echo)).toEqual(await inspect(direct, ...echo));
  });

  it('reads in the roots, and is refused what lies outside, as the result of the tool', async () => {
    await using rig = await openGateway({
      args: [FILESYSTEM, root],
      roots: [{ path: root, access: 'ro' }],
      realGate: true,
    });
    const inside = await inspect(byCommand(rig), ...call('read_text_file', { path: join(root, 'note.txt') }));
    expect(JSON.stringify(inside)).toContain('heron');
    const path = join(folder, 'outside', 'note.txt');
    const outside = await inspect(byCommand(rig), ...call('read_text_file', { path }));
    expect(outside).toMatchObject({ isError: true });
    expect(JSON.stringify(outside)).toContain('roots request');
    expect(JSON.stringify(outside)).not.toContain('cormorant');
  });
});
