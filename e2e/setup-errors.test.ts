import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { type SpawnedReeve, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_TRANSPORTS, connectSdkClient, type SdkClient } from './sdk-client.ts';

interface Issue {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  readonly fix: string;
}

/** ACP, session setup: the errors of `session/new` say what is wrong where, and what to send instead. */
describe.each(CLIENT_TRANSPORTS)('the setup of a session over %s', (transport) => {
  let reeve: SpawnedReeve;
  let client: SdkClient;
  let cwd: string;

  beforeAll(async () => {
    reeve = await startReeve();
    client = await connectSdkClient(reeve, { transport });
    cwd = await realpath(tmpdir());
  });
  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await reeve?.[Symbol.asyncDispose]();
  });

  const refuse = async (params: object, method = 'session/new'): Promise<{ summary: string; issues: Issue[] }> => {
    const error: unknown = await client.agent.request<unknown>(method, params).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: -32602 });
    return (error as { data: { summary: string; issues: Issue[] } }).data;
  };

  it('is refused without mcpServers, and says to send an empty list', async () => {
    const { summary, issues } = await refuse({ cwd });
    expect(issues).toMatchObject([{ path: 'mcpServers', received: 'missing' }]);
    expect(issues[0]?.fix).toContain('[]');
    expect(summary).toContain('mcpServers');
  });

  it('is refused with a relative, empty or absent cwd', async () => {
    for (const wrong of [{ cwd: 'src' }, { cwd: '' }, { cwd: './' }, { cwd: null }, {}]) {
      const { issues } = await refuse({ ...wrong, mcpServers: [] });
      expect(issues.map(({ path }) => path)).toEqual(['cwd']);
      expect(issues[0]?.fix).not.toBe('');
    }
  });

  it('is refused with a cwd that does not exist, which it names', async () => {
    const { issues } = await refuse({ cwd: `${cwd}/not-there-at-all`, mcpServers: [] });
    expect(issues).toMatchObject([{ path: 'cwd', expected: 'an existing directory', received: 'nothing there' }]);
    expect(issues[0]?.fix).toContain('not-there-at-all');
  });

  it.each<[string, unknown, string]>([
    ['null for a list', null, 'mcpServers'],
    ['an object for a list', {}, 'mcpServers'],
    ['a server that is text', ['npx server'], 'mcpServers[0]'],
    ['no command', [{ name: 'a', args: [], env: [] }], 'mcpServers[0].command'],
    ['no args', [{ name: 'a', command: '/bin/true', env: [] }], 'mcpServers[0].args'],
    ['env as an object', [{ name: 'a', command: '/bin/true', args: [], env: { A: 'b' } }], 'mcpServers[0].env'],
    ['an unknown type', [{ type: 'pigeon', name: 'a', url: 'http://localhost/', headers: [] }], 'mcpServers[0].type'],
    ['http without headers', [{ type: 'http', name: 'a', url: 'http://localhost/' }], 'mcpServers[0].headers'],
    ['http with a url that is none', [{ type: 'http', name: 'a', url: 'nowhere', headers: [] }], 'mcpServers[0].url'],
  ])('is refused with %s', async (_what, mcpServers, path) => {
    const { issues } = await refuse({ cwd, mcpServers });
    expect(issues.map((issue) => issue.path)).toContain(path);
    for (const issue of issues) {
      expect(issue.expected).not.toBe('');
      expect(issue.fix).not.toBe('');
    }
  });

  it('is refused with two servers of one name', async () => {
    const server = { name: 'twin', command: '/bin/true', args: [], env: [] };
    const { issues } = await refuse({ cwd, mcpServers: [server, server] });
    expect(issues.map(({ path }) => path)).toEqual(['mcpServers[1].name']);
  });

  it('names every place at once, and shows no secret', async () => {
    const env = [{ name: 'TOKEN', value: 7_777_777 }];
    const { summary, issues } = await refuse({
      cwd: 'here',
      mcpServers: [{ name: 'a', command: '/bin/true', args: [], env }],
    });
    expect(issues.map(({ path }) => path)).toEqual(['cwd', 'mcpServers[0].env[0].value']);
    expect(JSON.stringify({ summary, issues })).not.toContain('7777777');
  });

  it('is refused the same way on load and resume', async () => {
    const { sessionId } = await client.agent.request('session/new', { cwd, mcpServers: [] });
    const load = await refuse({ sessionId, cwd }, 'session/load');
    expect(load.issues.map(({ path }) => path)).toEqual(['mcpServers']);
    const resume = await refuse({ sessionId, cwd: 'src' }, 'session/resume');
    expect(resume.issues.map(({ path }) => path)).toEqual(['cwd']);
  });

  it('works on the same connection after all that', async () => {
    const { sessionId } = await client.agent.request('session/new', { cwd, mcpServers: [] });
    const prompt = [{ type: 'text' as const, text: 'still here' }];
    expect(await client.agent.request('session/prompt', { sessionId, prompt })).toMatchObject({
      stopReason: 'end_turn',
    });
  });
});
