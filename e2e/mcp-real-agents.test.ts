import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runCommandThenSay } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callControl, readLog } from './control-calls.ts';
import { promptTool } from './prompt-tool.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import type { RealAgentName } from './real-agents.ts';
import { choose, type PermissionHandler, type SdkClient } from './sdk-client.ts';

const FILESYSTEM = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const SECRET = 'secret-of-the-server-2b8';

/** Agents start slowly where much else runs. */
const LONG_MS = 180_000;

/** Allows what the agent asks; what Reeve itself asks is left to others. */
const allowAgent: PermissionHandler = (request) =>
  request.toolCall.toolCallId.startsWith('review-') ? undefined : choose(request, 'allow_once');

interface Told {
  readonly name: string;
  readonly state: string;
  readonly governed: boolean;
  readonly revision: number;
  readonly roots: readonly { readonly path: string; readonly access: string }[];
  readonly enforcement?: { readonly backend: string; readonly fs: string };
}

/** Real agents that reach the reference server for files through Reeve, and nothing else. */
describe.each<RealAgentName>(['codex', 'claude', 'opencode'])(
  'an MCP server behind the real agent %s',
  { timeout: LONG_MS },
  (name) => {
    let lab: RealAgentLab;
    let client: SdkClient;
    let sessionId: string;
    let extra: string;
    let outside: string;

    beforeAll(async () => {
      lab = await openRealAgentLab(name);
      extra = join(dirname(lab.cwd), 'extra');
      outside = join(dirname(lab.cwd), 'outside');
      for (const directory of [extra, outside]) await mkdir(directory);
      await writeFile(join(lab.cwd, 'note.txt'), 'the word is heron');
      await writeFile(join(extra, 'note.txt'), 'the word is bittern');
      await writeFile(join(outside, 'note.txt'), 'the word is cormorant');
      client = await lab.connect('websocket', {
        onPermission: allowAgent,
      });
    }, LONG_MS);
    afterAll(async () => {
      await client?.[Symbol.asyncDispose]();
      await lab?.[Symbol.asyncDispose]();
    });

    async function server(): Promise<Told | undefined> {
      const { mcpServers = [] } = (await callControl(lab.reeve, `/sessions/${sessionId}`)) as { mcpServers?: Told[] };
      return mcpServers.find(({ name: of }) => of === 'files');
    }

    const call = (tool: string, args: Readonly<Record<string, unknown>>): Promise<string> =>
      promptTool({ lab, client, sessionId, tool, args });

    it('is put to a person before it is started, over HTTP and to every client', async () => {
      const created = await client.agent.request('session/new', {
        cwd: lab.cwd,
        mcpServers: [
          {
            name: 'files',
            command: process.execPath,
            args: [FILESYSTEM, lab.cwd, extra],
            env: [{ name: 'FILES_KEY', value: SECRET }],
          },
        ],
        _meta: {
          'sandboxagent.dev': {
            boundary: {
              roots: [
                { path: lab.cwd, access: 'rw' },
                { path: extra, access: 'rw' },
              ],
            },
          },
        },
      });
      ({ sessionId } = created);
      expect(await server()).toMatchObject({ governed: true, state: 'waiting' });
      const { requests } = (await callControl(lab.reeve, `/requests?session=${sessionId}`)) as {
        requests: { id: string; kind: string; params: object }[];
      };
      expect(requests).toMatchObject([
        {
          kind: 'review',
          params: {
            review: 'server',
            server: { name: 'files', command: process.execPath, args: [FILESYSTEM, lab.cwd, extra], sandboxed: true },
          },
        },
      ]);
      await expect.poll(() => client.asked.length).toBeGreaterThan(0);
      await callControl(lab.reeve, `/requests/${requests[0]?.id}/answer`, {
        method: 'POST',
        body: JSON.stringify({ decision: 'approve', scope: 'session' }),
      });
      await approveRoots();
      await expect.poll(async () => (await server())?.state, { timeout: 60_000 }).toBe('running');
      expect(await server()).toMatchObject({ enforcement: { backend: 'bubblewrap', fs: 'enforced' } });
    });

    /** Whatever else is asked about its roots. */
    async function approveRoots(): Promise<void> {
      const { requests } = (await callControl(lab.reeve, `/requests?session=${sessionId}`)) as {
        requests: { id: string; state: { kind: string } }[];
      };
      for (const { id, state } of requests) {
        if (state.kind !== 'pending') continue;
        await callControl(lab.reeve, `/requests/${id}/answer`, {
          method: 'POST',
          body: JSON.stringify({ decision: 'approve', scope: 'session' }),
        });
      }
    }

    it('sees exactly the roots that it was granted, and works in them', async () => {
      // An agent that was told that there are other tools now takes its time to ask for them.
      await expect
        .poll(() => call('list_allowed_directories', {}), { timeout: 60_000, interval: 250 })
        .toContain(lab.cwd);
      expect(await call('read_text_file', { path: join(lab.cwd, 'note.txt') })).toContain('heron');
      expect(await call('read_text_file', { path: join(extra, 'note.txt') })).toContain('bittern');
      expect((await server())?.roots.map(({ path }) => path)).toEqual([lab.cwd, extra]);
    });

    it('is refused what lies outside, as the result of the tool, and the turn ends as it should', async () => {
      const refused = await call('read_text_file', { path: join(outside, 'note.txt') });
      expect(refused).not.toContain('cormorant');
      expect(refused).toContain('roots request');
    });

    it('loses a root at once that is taken from the session', async () => {
      const boundary = { roots: [{ path: lab.cwd, access: 'rw' }] };
      const changed = await client.agent.request('_sandboxagent/session/set_boundary', { sessionId, boundary });
      expect(changed).toMatchObject({
        boundary,
        _meta: { 'sandboxagent.dev': { servers: [{ server: 'files', result: 'gone' }] } },
      });
      expect((await server())?.roots).toMatchObject([{ path: lab.cwd }]);
      expect(await call('read_text_file', { path: join(extra, 'note.txt') })).not.toContain('bittern');
      expect(await call('list_allowed_directories', {})).not.toContain(extra);
      expect(await call('read_text_file', { path: join(lab.cwd, 'note.txt') })).toContain('heron');
    });

    it('has its secrets nowhere in what Reeve writes', async () => {
      expect(JSON.stringify(await readLog(lab.reeve, sessionId))).not.toContain(SECRET);
      expect(lab.reeve.stderr()).not.toContain(SECRET);
    });
  },
);

/** Some agents connect what the project's own `.mcp.json` names, past Reeve. */
describe('an MCP server that a project names to the real agent claude', { timeout: LONG_MS }, () => {
  /** What the agent sees of the file, and what git tells it of that; and what Reeve tells. */
  async function look(tracked: boolean): Promise<{ path: string; seen: string; servers: readonly Told[] }> {
    await using lab = await openRealAgentLab('claude');
    const path = join(lab.cwd, '.mcp.json');
    await writeFile(path, JSON.stringify({ mcpServers: { stray: { command: 'stray-server' } } }));
    execFileSync('git', ['init', '--quiet'], { cwd: lab.cwd });
    if (tracked) execFileSync('git', ['add', '.mcp.json'], { cwd: lab.cwd });
    await using client = await lab.connect('websocket', { onPermission: allowAgent });
    const { sessionId } = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers: [] });
    lab.model.script(runCommandThenSay('look at it', 'cat .mcp.json; git status --porcelain', 'Seen.'));
    const prompt = [{ type: 'text' as const, text: 'Please look at it' }];
    expect(await client.agent.request('session/prompt', { sessionId, prompt })).toMatchObject({
      stopReason: 'end_turn',
    });
    const { mcpServers } = (await callControl(lab.reeve, `/sessions/${sessionId}`)) as { mcpServers: Told[] };
    const seen = lab.model.requests.flatMap(({ toolResults }) => toolResults).join('\n');
    return { path, seen, servers: mcpServers };
  }

  it('is hidden from it, and waits for a person before Reeve starts it', async () => {
    const { seen, servers } = await look(false);
    expect(seen).toContain('?? .mcp.json');
    expect(seen).not.toContain('stray-server');
    expect(servers).toMatchObject([{ name: 'stray', governed: true, origin: 'workspace', state: 'waiting' }]);
  });

  it('is left to it where git tracks the file, and told with that file', async () => {
    const { path, seen, servers } = await look(true);
    expect(seen).toContain('stray-server');
    expect(seen).not.toContain(' M .mcp.json');
    const there = { name: 'stray', origin: 'workspace', governed: true, alsoIn: [path] };
    expect(servers).toEqual([expect.objectContaining(there)]);
  });
});
