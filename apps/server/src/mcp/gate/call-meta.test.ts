import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CallApproval } from '../../boundary/server-guard.ts';
import { call, open, outside, root } from './gate.rig.ts';

const TRACE = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=1' };
const OTHER_TRACE = { traceparent: '00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01', tracestate: 'a=2' };

const withMeta = (_meta: object, args: object = { path: 'file' }) =>
  call({}, { params: { name: 'tool', arguments: args, _meta } });

describe('what a call carries in _meta', () => {
  it('goes without a member that names a path outside, and with the others', async () => {
    const { check, said } = open();
    const verdict = await check(
      withMeta({
        ...TRACE,
        progressToken: '/etc/passwd',
        'a/inside': { cwd: join(root, 'file') },
        'b/outside': { deep: [join(outside, 'file')] },
        'c/key': { [outside]: 1 },
        'd/uri': 'file://localhost/etc/passwd',
        'e/json': JSON.stringify({ path: '/etc/passwd' }),
        'claudecode/toolUseId': 'toolu_1',
      }),
    );
    expect(verdict.kind === 'forward' ? [...(verdict.withoutMeta ?? [])].sort() : verdict).toEqual([
      'b/outside',
      'c/key',
      'd/uri',
      'e/json',
    ]);
    expect(said.alarms.map(({ path }) => path)).toEqual([join(outside, 'file'), outside, '/etc/passwd']);
  });

  it('is no path that the call touches', async () => {
    const { check, said } = open();
    const verdict = await check(withMeta({ 'a/inside': root, 'b/outside': outside }, {}));
    if (verdict.kind === 'forward') verdict.done('completed');
    expect(said.ended).toMatchObject([{ call: { paths: [] }, outcome: 'completed' }]);
  });

  it('is no alarm where an agent tells of the directories of its own session, which it does with every call', async () => {
    const { check, said } = open({ withheld: [outside] });
    const verdict = await check(
      withMeta({ 'x-codex-turn-metadata': { workspaces: { [outside]: { latest_git_commit_hash: 'a' } } } }),
    );
    expect(verdict).toMatchObject({ kind: 'forward', withoutMeta: ['x-codex-turn-metadata'] });
    expect(said.alarms).toEqual([]);
  });

  it.each([
    [{ 'io.modelcontextprotocol/clientInfo': { name: '/etc/passwd', version: '1' } }],
    [{ 'io.modelcontextprotocol/clientCapabilities': { experimental: { '/etc/passwd': {} } } }],
    [{ progressToken: ['/etc/passwd'] }],
  ])('ends the call where that cannot do without it: %j', async (meta) => {
    const { check, said } = open();
    expect((await check(withMeta(meta))).kind).toBe('refuse');
    expect(said.alarms).toMatchObject([{ path: '/etc/passwd' }]);
  });

  it('ends no call of an agent that says what MCP has for it', async () => {
    const { check, said } = open();
    const meta = {
      ...TRACE,
      baggage: 'user=%2Fhome%2Fjo,path=/etc/passwd',
      progressToken: 7,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'a/b', version: '../1', websiteUrl: 'https://example.org/etc' },
      'io.modelcontextprotocol/clientCapabilities': { roots: {}, elicitation: { form: {} } },
      'io.modelcontextprotocol/logLevel': 'debug',
    };
    const { 'io.modelcontextprotocol/clientInfo': _, ...plain } = meta;
    expect(await check(withMeta(plain))).toMatchObject({ kind: 'forward', withoutMeta: [] });
    expect(said.alarms).toEqual([]);
  });
});

describe('a call that a person approved and that is sent again', () => {
  /** The first try waits in vain, later ones are approved. */
  function openAsking() {
    let tries = 0;
    const answer = (_key: string, signal: AbortSignal): Promise<CallApproval> => {
      tries += 1;
      if (tries > 1) return Promise.resolve({ kind: 'approved', by: 'someone' });
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'pending' })));
    };
    return open({ decide: () => 'ask_user', patienceMs: 20, answer });
  }

  it('is found again with other members of each try, and goes without what nobody was asked about', async () => {
    const { check, said } = openAsking();
    const first = { ...TRACE, 'a/same': { x: 1, y: 2 }, 'a/other': 'one', progressToken: 1 };
    expect((await check(withMeta(first))).kind).toBe('refuse');
    const second = { ...OTHER_TRACE, 'a/same': { y: 2, x: 1 }, 'a/other': 'two', 'a/new': 3, progressToken: 2 };
    expect(await check(withMeta(second))).toMatchObject({ kind: 'forward', withoutMeta: ['a/other', 'a/new'] });
    expect(new Set(said.asked).size).toBe(1);
    // Single use: what comes next is asked about anew, with what it has then.
    expect(await check(withMeta(second))).toMatchObject({ kind: 'forward', withoutMeta: [] });
    expect(said.asked).toHaveLength(3);
  });

  it.each([
    ['what a server is to hear again', { requestState: 'a' }, { requestState: 'b' }, 1],
    ['answers to what the server asked', { inputResponses: { k: { x: 1 } } }, { inputResponses: { k: { x: 2 } } }, 2],
    ['whether it is a task', {}, { task: { ttl: 1 } }, 2],
    ['a member that MCP does not know', { extra: 1 }, { extra: 2 }, 2],
    ['its _meta, where that is no object', { _meta: ['a'] }, { _meta: ['b'] }, 2],
  ])('is the same call or another one by %s', async (_what, one, other, keys) => {
    const { check, said } = openAsking();
    const params = { name: 'tool', arguments: { path: 'file' } };
    await check(call({}, { params: { ...params, ...one } }));
    await check(call({}, { params: { ...params, ...other } }));
    expect(new Set(said.asked).size).toBe(keys);
  });

  it('is another call by everything in the parameters of a method that nobody knows', async () => {
    const { check, said } = openAsking();
    for (const params of [{ requestState: 'a' }, { requestState: 'b' }, ['a'], ['b'], 'a', undefined])
      await check(call({}, { method: 'x/own', params }));
    expect(new Set(said.asked).size).toBe(6);
  });
});
