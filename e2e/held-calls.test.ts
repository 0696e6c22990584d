import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_POLICY } from '@reeve/policy';
import { callMcpToolThenSay } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callControl } from './control-calls.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';
import type { RealAgentName } from './real-agents.ts';
import { choose, type SdkClient } from './sdk-client.ts';

const slow = process.env.REEVE_E2E_SLOW === '1';
/** Agents start slowly where much else runs. */
const LONG_MS = 400_000;
const WAIT = { timeout: 60_000, interval: 100 };
/** The shipped policy without the one that lets every call through: a person is asked about each. */
const ASKING = DEFAULT_POLICY.replace(/@id\("tools"\)[^;]*;/, '');

/** An MCP server that counts what it is told, in a file of the directory that it is given. */
const COUNTER = `
import { appendFileSync } from 'node:fs';
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
function answer({ id, method, params }) {
  if (id === undefined) return;
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'counter', version: '1' } },
    'tools/list': { tools: [{ name: 'count', description: 'counts', inputSchema }] },
  };
  if (method === 'tools/call') {
    appendFileSync(process.argv[2] + '/counted', params.arguments.text + '\\n');
    results['tools/call'] = { content: [{ type: 'text', text: 'it was counted' }] };
  }
  const result = results[method];
  const body = result ? { result } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
}
`;

interface Waiting {
  readonly id: string;
  readonly state: { readonly kind: string };
  readonly params: { readonly review?: string };
}

/** Real agents whose tool calls wait for a person, as policy says. */
const AGENTS: readonly (readonly [RealAgentName, Readonly<Record<string, string>>])[] = [
  ['codex', {}],
  ['claude', {}],
  ['opencode', {}],
  ['claude', { MCP_TOOL_TIMEOUT: '20000' }],
];
describe.each(AGENTS)(
  'a tool call of the real agent %s that a person must approve, with %o',
  { timeout: LONG_MS },
  (name, agentEnv) => {
    let lab: RealAgentLab;
    let folder: string;
    let client: SdkClient;
    let sessionId: string;
    let turns = 0;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'reeve-held-'));
      const policy = join(folder, 'asking.cedar');
      await writeFile(policy, ASKING);
      lab = await openRealAgentLab(name, { agentEnv, settings: { policy: { files: [policy] } } });
      const server = join(dirname(lab.cwd), 'server');
      await mkdir(server);
      await writeFile(join(server, 'counter.mjs'), COUNTER);
      client = await lab.connect('websocket', {
        onPermission: (request) =>
          request.toolCall.toolCallId.startsWith('review-') ? undefined : choose(request, 'allow_once'),
      });
      const args = [join(server, 'counter.mjs'), lab.cwd];
      const mcpServers = [{ name: 'counter', command: process.execPath, args, env: [] }];
      ({ sessionId } = await client.agent.request('session/new', { cwd: lab.cwd, mcpServers }));
      await answer('server', { decision: 'approve', scope: 'session' });
      await vi.waitFor(async () => expect(await serverState()).toBe('running'), WAIT);
    }, LONG_MS);
    afterAll(async () => {
      await client?.[Symbol.asyncDispose]();
      await lab?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });

    async function serverState(): Promise<string | undefined> {
      const { mcpServers = [] } = (await callControl(lab.reeve, `/sessions/${sessionId}`)) as {
        mcpServers?: { state: string }[];
      };
      return mcpServers[0]?.state;
    }

    async function waiting(review: string): Promise<readonly Waiting[]> {
      const { requests } = (await callControl(lab.reeve, `/requests?session=${sessionId}`)) as { requests: Waiting[] };
      return requests.filter(({ state, params }) => state.kind === 'pending' && params.review === review);
    }

    async function answer(review: string, decision: object): Promise<void> {
      await vi.waitFor(async () => expect(await waiting(review)).toHaveLength(1), WAIT);
      const [request] = await waiting(review);
      const body = JSON.stringify(decision);
      await callControl(lab.reeve, `/requests/${request?.id}/answer`, { method: 'POST', body });
    }

    /** Begins a turn in which the agent calls the tool; resolves with what the model was told came of it. */
    async function turn(text: string): Promise<string> {
      const phrase = `turn number ${++turns}`;
      lab.model.script(callMcpToolThenSay(phrase, 'count', { text }, 'That was it.'));
      const before = lab.model.requests.length;
      const prompt = [{ type: 'text' as const, text: `Please do ${phrase}` }];
      const ended = await client.agent.request('session/prompt', { sessionId, prompt });
      expect(ended).toMatchObject({ stopReason: 'end_turn' });
      return lab.model.requests
        .slice(before)
        .flatMap(({ toolResults }) => toolResults)
        .join('\n');
    }

    async function counted(): Promise<readonly string[]> {
      const text = await readFile(join(lab.cwd, 'counted'), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    }

    async function approvedAfter(ms: number, text: string): Promise<void> {
      const ends = turn(text);
      await vi.waitFor(async () => expect(await waiting('call')).toHaveLength(1), WAIT);
      await delay(ms);
      expect(await counted()).not.toContain(text);
      await answer('call', { decision: 'approve' });
      expect(await ends).toContain('it was counted');
      expect((await counted()).filter((line) => line === text)).toHaveLength(1);
    }

    async function approvedLate(text: string): Promise<void> {
      expect(await turn(text)).toContain('pending approval: send the same call again');
      expect(await counted()).not.toContain(text);
      await answer('call', { decision: 'approve' });
      expect(await turn(text)).toContain('it was counted');
      expect((await counted()).filter((line) => line === text)).toHaveLength(1);
    }

    if (agentEnv.MCP_TOOL_TIMEOUT !== undefined) {
      it('is told to be pending before the time is up that its environment gives each call', async () => {
        await approvedLate('later than it may take');
      });
      return;
    }

    it('runs once when it is approved after five seconds', async () => {
      await approvedAfter(5000, 'five seconds');
    });

    it('ends as a result of the tool when it is declined, and the turn goes on', async () => {
      const ends = turn('declined');
      await answer('call', { decision: 'deny' });
      expect(await ends).toContain('declined');
      expect(await counted()).not.toContain('declined');
    });

    it.runIf(slow)('runs once when it is approved after ninety seconds (REEVE_E2E_SLOW=1)', async () => {
      await approvedAfter(90_000, 'ninety seconds');
    });

    // The others are kept waiting by progress, for as long as it takes.
    if (name !== 'codex') return;
    it.runIf(slow)(
      'is told to be pending before the agent gives up, and runs once when it is approved and sent again (REEVE_E2E_SLOW=1)',
      async () => {
        await approvedLate('much later');
      },
    );
  },
);
