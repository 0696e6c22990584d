import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callControl } from './control-calls.ts';
import { promptTool } from './prompt-tool.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import type { RealAgentName } from './real-agents.ts';
import { choose, type SdkClient } from './sdk-client.ts';

const FILESYSTEM = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
/** Agents start slowly where much else runs. */
const LONG_MS = 180_000;

/**
 * The session has more than the server's command line names, and the command line names more than the session has. An agent that is asked
 * for roots tells the directory that it works in; the reference server gives up its command line for what it is told.
 */
describe.each<RealAgentName>(['codex', 'claude', 'opencode'])(
  'the reference server for files behind the real agent %s',
  { timeout: LONG_MS },
  (name) => {
    let lab: RealAgentLab;
    let client: SdkClient;
    let sessionId: string;
    let shared: string;
    let foreign: string;

    beforeAll(async () => {
      lab = await openRealAgentLab(name);
      shared = join(dirname(lab.cwd), 'shared');
      foreign = join(dirname(lab.cwd), 'foreign');
      for (const directory of [shared, foreign]) await mkdir(directory);
      for (const directory of [lab.cwd, shared, foreign])
        await writeFile(join(directory, 'note.txt'), `in ${directory}`);
      client = await lab.connect('websocket', { onPermission: (request) => choose(request, 'allow_once') });
      const created = await client.agent.request('session/new', {
        cwd: lab.cwd,
        mcpServers: [{ name: 'files', command: process.execPath, args: [FILESYSTEM, shared, foreign], env: [] }],
        _meta: {
          'sandboxagent.dev': {
            boundary: {
              roots: [
                { path: lab.cwd, access: 'rw' },
                { path: shared, access: 'rw' },
              ],
            },
          },
        },
      });
      ({ sessionId } = created);
    }, LONG_MS);
    afterAll(async () => {
      await client?.[Symbol.asyncDispose]();
      await lab?.[Symbol.asyncDispose]();
    });

    async function stateOfServer(): Promise<string | undefined> {
      const { mcpServers = [] } = (await callControl(lab.reeve, `/sessions/${sessionId}`)) as {
        mcpServers?: { state: string }[];
      };
      return mcpServers[0]?.state;
    }

    const call = (tool: string, args: Readonly<Record<string, unknown>>): Promise<string> =>
      promptTool({ lab, client, sessionId, tool, args });

    it('says itself that it may work in what the command line and the session have in common, and nowhere else', async () => {
      await expect.poll(stateOfServer, { timeout: 60_000 }).toBe('running');
      // An agent that was told that there are other tools now takes its time to ask for them.
      let said = '';
      await expect
        .poll(
          async () => {
            said = await call('list_allowed_directories', {});
            return said;
          },
          { timeout: 60_000, interval: 250 },
        )
        .toContain('Allowed directories');
      const [, list = ''] = said.split('Allowed directories:');
      expect(list.match(/\/[^\s"'\\]*/g)).toEqual([shared]);
    });

    it('reads there, and neither where the agent works nor where its command line alone leads', async () => {
      expect(await call('read_text_file', { path: join(shared, 'note.txt') })).toContain(`in ${shared}`);
      for (const directory of [lab.cwd, foreign]) {
        expect(await call('read_text_file', { path: join(directory, 'note.txt') })).not.toContain(`in ${directory}`);
      }
    });
  },
);
