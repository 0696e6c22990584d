import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AuditEntry, connectReeve, type Reeve } from '@reeve/client';
import { DEFAULT_POLICY } from '@reeve/policy';
import { fakeAgentCommand, type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CliRun, runCli } from '../apps/cli/src/cli.rig.ts';

const top = resolve(import.meta.dirname, '..');
/** Processes are started, in sandboxes. */
const SLOW_MS = 120_000;
const STARTED = { timeout: 60_000, interval: 100 } as const;

/** An MCP server with one tool: `wait` writes `began` into the directory at `path`, and answers when `go` is there. */
const WAITS = `
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const tool = { name: 'wait', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } };
async function wait(path) {
  writeFileSync(path + '/began', '');
  while (!existsSync(path + '/go')) await delay(20);
  return { content: [{ type: 'text', text: 'it has ended by itself' }] };
}
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'waits', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': (params) => wait(params.arguments.path),
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (answers[method]) say({ id, result: await answers[method](params) });
  else say({ id, error: { code: -32601, message: 'unknown' } });
});
`;

let base: string;
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-audit-policy-')));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Lab extends AsyncDisposable {
  readonly reeve: SpawnedReeve;
  readonly api: Reeve;
  readonly session: string;
  /** A directory of this lab; the session works in `project`. */
  at(name: string): string;
  /** Gives the server a directory. */
  give(name: string): Promise<unknown>;
  cli(...args: readonly string[]): Promise<CliRun>;
  records(kind: string): Promise<readonly AuditEntry[]>;
  /** What the agent is answered by the tool that waits in this directory; resolves when that began. */
  call(name: string): Promise<{ readonly answer: Promise<string> }>;
}

async function openLab(name: string, policy: object): Promise<Lab> {
  const at = (one: string): string => join(base, name, one);
  for (const one of ['project', 'extra', 'more']) mkdirSync(at(one), { recursive: true });
  const command = join(at('project'), 'waits.mjs');
  writeFileSync(command, WAITS);
  const reeve = await startReeve({
    config: {
      sandbox: {},
      // It is not shown its own files unless told: they are of this repository.
      agents: { fake: { ...fakeAgentCommand(), sandbox: { readOnly: [top], network: 'none' } } },
      defaultAgent: 'fake',
      mcpServers: { waits: { command: process.execPath, args: [command] } },
      timeouts: { mcpDrainMs: 60_000 },
      policy,
    },
  });
  const api = connectReeve(reeve);
  const { session } = await api.sessions.create({ cwd: at('project'), mcpServers: [] });
  const id = session.sessionId;
  return {
    reeve,
    api,
    session: id,
    at,
    give: (one) => api.grants.create({ session: id, server: 'waits', path: at(one), access: 'rw' }),
    cli: (...args) => runCli(args, { REEVE_URL: reeve.url, REEVE_TOKEN: reeve.token, HOME: base }),
    records: async (kind) => (await api.audit.list({ kind, order: 'oldest' })).records,
    async call(directory) {
      const path = at(directory);
      const params = { name: 'wait', arguments: { path } };
      const prompt = script({ mcp: { server: 'waits', method: 'tools/call', params } });
      const answer = api.sessions.prompt(id, { prompt }).then(({ text }) => text ?? '');
      await vi.waitFor(() => expect(existsSync(join(path, 'began'))).toBe(true), STARTED);
      return { answer };
    },
    [Symbol.asyncDispose]: () => reeve[Symbol.asyncDispose](),
  };
}

describe('calls in flight when the boundary of their server changes', { timeout: SLOW_MS }, () => {
  it('go on to their end after a narrowing, where policy.callsAfterChange says "finish"', async () => {
    await using lab = await openLab('finish', { callsAfterChange: { narrowed: 'finish' } });
    await lab.give('extra');
    const { answer } = await lab.call('extra');
    const revoked = lab.api.boundaries.revoke(lab.session, lab.at('extra'), 'waits');
    await expect.poll(() => lab.records('grant.revoked'), STARTED).toHaveLength(1);
    await delay(200);
    writeFileSync(join(lab.at('extra'), 'go'), '');
    expect(await answer).toContain('it has ended by itself');
    expect((await revoked).servers).toMatchObject([{ server: 'waits', result: 'gone' }]);
    const [called] = await lab.records('mcp.called');
    expect(called?.facts).toMatchObject({ outcome: 'completed' });
    expect(Number(called?.facts.endRevision)).toBeGreaterThan(Number(called?.facts.startRevision));
  });

  it('are put to a person after a narrowing, where it says "ask"', async () => {
    await using lab = await openLab('ask', { callsAfterChange: { narrowed: 'ask' } });
    await lab.give('extra');
    const { answer } = await lab.call('extra');
    const revoked = lab.api.boundaries.revoke(lab.session, lab.at('extra'), 'waits');
    const waiting = () => lab.api.requests.list({ session: lab.session });
    await expect.poll(waiting, STARTED).toMatchObject([{ params: { review: 'call', call: { tool: 'wait' } } }]);
    const [request] = await waiting();
    expect(await lab.cli('requests', 'answer', request?.id ?? '', '--deny')).toMatchObject({ code: 0 });
    expect(await answer).toContain('was narrowed while it ran');
    expect((await revoked).servers).toMatchObject([{ result: 'gone' }]);
  });

  it('end after a narrowing, and after a widening where it says "cancel"', async () => {
    await using lab = await openLab('cancel', { callsAfterChange: { widened: 'cancel' } });
    await lab.give('extra');
    const narrowed = await lab.call('extra');
    await lab.api.boundaries.revoke(lab.session, lab.at('extra'), 'waits');
    expect(await narrowed.answer).toContain('was narrowed while it ran');
    const widened = await lab.call('project');
    await lab.give('more');
    expect(await widened.answer).toContain('was widened while it ran');
    const outcomes = (await lab.records('mcp.called')).map(({ facts }) => facts.outcome);
    expect(outcomes).toEqual(['cancelled', 'cancelled']);
  });
});

describe('policies and the audit log', { timeout: SLOW_MS }, () => {
  let lab: Lab;
  const rules = () => join(base, 'rules.cedar');
  beforeAll(async () => {
    writeFileSync(rules(), DEFAULT_POLICY);
    lab = await openLab('decided', { files: [rules()] });
    writeFileSync(join(lab.at('project'), 'go'), '');
    await (await lab.call('project')).answer;
    await lab.give('extra');
  }, SLOW_MS);
  afterAll(() => lab?.[Symbol.asyncDispose]());

  it('try other policies on what was decided, and find what would come out otherwise', async () => {
    const file = join(base, 'decisions.jsonl');
    expect(await lab.cli('audit', 'export', '--format', 'decisions', '--out', file)).toMatchObject({ code: 0 });
    const same = await lab.cli('policy', 'test', rules(), '--decisions', file, '--json');
    expect(same.code).toBe(0);
    expect(JSON.parse(same.stdout)).toMatchObject({ ok: true, changed: [], unread: [] });
    expect(JSON.parse(same.stdout).count).toBeGreaterThanOrEqual(4);
    const other = join(base, 'other.cedar');
    const noTools = '@id("no-tools") forbid (principal, action == Action::"call_tool", resource);';
    writeFileSync(other, `${DEFAULT_POLICY}\n${noTools}`);
    const tighter = await lab.cli('policy', 'test', other, '--decisions', file);
    expect(tighter).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/call_tool +allow +deny +tighter +no-tools/),
    });
    const text = await lab.cli('audit', 'export', '--format', 'decisions');
    expect(text.stdout).not.toContain(base);
  });

  it('show paths to nobody whom policies forbid that, who is told which, and that is recorded', async () => {
    const [exposed] = await lab.records('roots.exposed');
    const seq = String(exposed?.seq);
    expect((await lab.cli('audit', 'reveal', seq)).stdout).toContain(lab.at('project'));
    const nobody = '@id("nobody-sees") forbid (principal, action == Action::"reveal_path", resource);';
    writeFileSync(rules(), `${DEFAULT_POLICY}\n${nobody}`);
    expect(await lab.cli('policy', 'reload')).toMatchObject({ code: 0 });
    const refused = await lab.cli('audit', 'reveal', seq);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).not.toContain(base);
    expect(refused.stderr).toMatch(/nobody-sees[\s\S]*next: /);
    expect(await lab.records('audit.reveal_refused')).toMatchObject([
      { by: expect.stringMatching(/^reeve-cli /), decision: 'deny', cause: seq, facts: { policies: ['nobody-sees'] } },
    ]);
    expect(await lab.records('audit.path_revealed')).toMatchObject([
      { cause: seq, facts: { policies: ['administrators-reveal'] } },
    ]);
    expect(await lab.cli('audit', 'verify')).toMatchObject({ code: 0 });
  });
});
