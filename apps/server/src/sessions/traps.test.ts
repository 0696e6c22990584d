import { readFile } from 'node:fs/promises';
import type { JsonObject, SessionId } from '@reeve/protocol';
import { JsonRpcFailure, type JsonRpcId, type JsonRpcPeer } from '@reeve/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { answerIndex, load, newSession, prompt, rawOf } from './session-calls.rig.ts';

const said = (text: string) => (message: JsonObject) => JSON.stringify(message.params ?? null).includes(text);

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('seen in the field', () => {
  let rig: SessionRig;
  let peer: JsonRpcPeer;
  beforeAll(async () => {
    rig = await startRig({
      agents: { plain: [], banner: ['--banner'], texts: ['--string-ids'], deletes: ['--delete'] },
      launch: { maxLineBytes: 33 * 1024 * 1024 },
    });
  });
  beforeEach(async () => {
    peer = await rig.connect();
  });
  afterEach(() => {
    expect(rig.unforeseen).toEqual([]);
    peer.close();
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it('usage and unknown fields at the root, unknown variants and methods: kept byte for byte', async () => {
    const sessionId = await newSession(rig, peer);
    const odd = [
      '{"params":{"update":{"sessionUpdate":"new_thing","n":1.0,"e":1e3,"s":"\\u00e9\\/"},"sessionId":"$SESSION" } , "usage":{"a":[1,2]},"method":"session/update","jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","method":"_custom/notice","params":{"sessionId":"$SESSION","deep":{"x":null}}}',
      '{"jsonrpc":"2.0","method":"no/params"}',
      '{"jsonrpc":"2.0","method":"list/params","params":[1,2]}',
    ];
    const result = await prompt(peer, sessionId, [{ usage: true }, ...odd.map((raw) => ({ raw }))]);
    expect(result).toMatchObject({ usage: { inputTokens: 11, outputTokens: 7 }, userMessageId: 'fake-user-message' });
    const got = peer.log
      .filter(({ direction, message }) => direction === 'in' && message?.method)
      .map(({ raw }) => raw);
    expect(got.slice(-odd.length)).toEqual(odd.map((raw) => raw.replaceAll('$SESSION', sessionId)));
    const other = await rig.connect();
    await load(rig, other, sessionId);
    const replayed = other.log.filter(({ message }) => message?.method).map(({ raw }) => raw);
    expect(replayed.slice(-odd.length)).toEqual(got.slice(-odd.length));
    expect(JSON.parse(got[0] as string)).toMatchObject({
      usage: {},
      params: { usage: {}, timestamp: expect.any(String) },
    });
  });

  it('a banner on stdout: skipped, reported, never answered', async () => {
    const client = await rig.connect({ agent: 'banner' });
    const sessionId = await newSession(rig, client);
    await prompt(client, sessionId, [{ garbage: 100 }, { raw: '[info] working' }, { received: 'prompt' }]);
    expect(client.agentTexts()).toHaveLength(1);
    expect(rig.noise.join('\n')).toMatch(/fake agent 1\.0[\s\S]*\[info\] working/);
  });

  it('updates after the response of the prompt: delivered', async () => {
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ late: { afterMs: 10, text: 'late one' } }]);
    await peer.waitFor(said('late one'), { from: answerIndex(peer, 'session/prompt') });
  });

  it('a line of 32 MiB: delivered whole; a longer one is dropped and reported', async () => {
    const sessionId = await newSession(rig, peer);
    const bytes = 32 * 1024 * 1024;
    await prompt(peer, sessionId, [{ bigLine: bytes }, { bigLine: bytes + 2 * 1024 * 1024 }, { say: 'alive' }]);
    expect(peer.agentTexts().map(({ length }) => length)).toEqual([bytes, 5]);
    expect(rig.noise.at(-1)).toContain('limits.maxLineBytes');
  });

  it('session/delete goes to an agent that has it, and succeeds for what is unknown', async () => {
    const client = await rig.connect({ agent: 'deletes' });
    const sessionId = await newSession(rig, client);
    await prompt(client, sessionId, 'x');
    const running = prompt(client, sessionId, [{ untilCancel: true }]);
    expect(await client.request('session/delete', { sessionId })).toEqual({});
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    expect(await client.request('session/delete', { sessionId })).toEqual({});
    expect(await rig.store.events.head(sessionId as SessionId)).toBe(0);
    expect(await rig.store.sessions.find(sessionId)).toBeUndefined();
  });

  it('session/cancel and $/cancel_request for what is not there: ignored', async () => {
    peer.notify('session/cancel', { sessionId: 'nobody' });
    peer.notify('session/cancel', {});
    for (const requestId of [99, null, {}, undefined, 'x']) peer.notify('$/cancel_request', { requestId });
    const sessionId = await newSession(rig, peer);
    peer.notify('session/cancel', { sessionId });
    expect(await prompt(peer, sessionId, 'x')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('requests of the agent with ids that are texts: answered with those', async () => {
    const client = await rig.connect({ agent: 'texts' });
    client.onRequest('session/request_permission', () => ({
      outcome: { outcome: 'selected', optionId: 'reject-once' },
    }));
    client.onRequest('_custom', () => ({ fine: true }));
    const sessionId = await newSession(rig, client);
    await prompt(client, sessionId, [{ permission: {} }, { request: { method: '_custom' } }]);
    expect(client.agentTexts()[1]).toBe('{"fine":true}');
  });

  it('many clients with the same ids: each response reaches its asker', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => rig.connect()));
    const sessions = await Promise.all(clients.map((client) => newSession(rig, client)));
    await Promise.all(clients.flatMap((client) => sessions.map((sessionId) => load(rig, client, sessionId))));
    const asks = clients.flatMap((client, place) =>
      Array.from({ length: 60 }, (_, index) => ({
        client,
        id: index % 2 === 0 ? index : `t${index}`,
        method: `x/${place}-${index}`,
      })),
    );
    await Promise.all(
      asks.map(async ({ client, id, method }, index) => {
        const sessionId = sessions[index % 3];
        const failure = await client
          .request(method, { sessionId }, { id: `${typeof id === 'string' ? id : ''}${index}` })
          .catch((error: unknown) => error);
        expect(failure).toMatchObject({ code: -32601, data: { method } });
      }),
    );
  });
});

describe('an agent that hangs', () => {
  it.each([
    ['at the end of its input', ['--ignore-eof']],
    ['and ignores SIGTERM', ['--ignore-eof', '--ignore-sigterm']],
    ['with grandchildren', ['--ignore-eof', '--ignore-sigterm', '--grandchild=setsid']],
    ['with a grandchild that holds its stdio', ['--ignore-eof', '--ignore-sigterm', '--grandchild=hold']],
  ])('%s is gone when its session is closed', async (_how, flags) => {
    await using rig = await startRig({ agents: { fake: flags } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ envName: 'HOME' }, { sleep: 30 }]);
    const pids = await descendants();
    expect(pids.length).toBeGreaterThan(0);
    const turn = prompt(peer, sessionId, [{ refuseCancel: true }, { sleep: 60_000 }]);
    await peer.request('session/close', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    await rig.agents[Symbol.asyncDispose]();
    for (const pid of pids) expect(alive(pid)).toBe(false);

    /** Processes of this rig, known by its home directory. */
    async function descendants(): Promise<number[]> {
      const { readdir } = await import('node:fs/promises');
      const found: number[] = [];
      for (const name of await readdir('/proc')) {
        const environment = /^\d+$/.test(name) ? await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '') : '';
        if (environment.split('\0').includes(`HOME=${rig.cwd}`)) found.push(Number(name));
      }
      return found;
    }
  });
});

describe('what an agent asks of a client program', () => {
  let rig: SessionRig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(async () => {
    expect(rig.unforeseen).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });
  const able = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

  it('goes to the one that offers it, the prompter first, and never to one that does not', async () => {
    const bare = await rig.connect();
    const sessionId = await newSession(rig, bare);
    await prompt(bare, sessionId, [{ fsRead: '/a' }, { terminal: { command: 'true' } }]);
    expect(rawOf(bare, 'fs/read_text_file')).toEqual([]);
    expect(rawOf(bare, 'terminal/create')).toEqual([]);
    const [one, two] = [
      await rig.connect({ clientCapabilities: able }),
      await rig.connect({ clientCapabilities: able }),
    ];
    for (const [name, client] of Object.entries({ one, two })) {
      await load(rig, client, sessionId);
      client.onRequest('fs/read_text_file', (params) => ({ content: name, params }));
      client.onRequest('fs/write_text_file', () => null);
    }
    const read = async (client: JsonRpcPeer): Promise<JsonObject> => {
      await prompt(client, sessionId, [{ fsRead: '/a' }]);
      return JSON.parse(client.agentTexts().at(-1) as string) as JsonObject;
    };
    expect(await read(two)).toEqual({ content: 'two', params: { sessionId, path: '/a' } });
    expect(await read(one)).toMatchObject({ content: 'one' });
    expect(await read(bare)).toMatchObject({ content: 'one' });
    await prompt(one, sessionId, [{ fsWrite: { path: '/a', content: 'x' } }]);
    expect(one.agentTexts().at(-1)).toBe('null');
  });

  it('carries a refusal back as it is', async () => {
    const peer = await rig.connect({ clientCapabilities: able });
    peer.onRequest('fs/read_text_file', () => {
      throw new JsonRpcFailure(-32002, 'Gone', { uri: 'file:///a' });
    });
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ fsRead: '/a' }]);
    expect(JSON.parse(peer.agentTexts()[0] as string)).toEqual({
      error: { code: -32002, message: 'Gone', data: { uri: 'file:///a' } },
    });
  });

  it('stays with the client whose terminal it is', async () => {
    const [one, two] = [
      await rig.connect({ clientCapabilities: able }),
      await rig.connect({ clientCapabilities: able }),
    ];
    const sessionId = await newSession(rig, one);
    await load(rig, two, sessionId);
    const seen: string[] = [];
    for (const [name, client] of Object.entries({ one, two })) {
      client.onRequest('*', (_params, { method }) => {
        seen.push(`${name} ${method}`);
        return method === 'terminal/create' ? { terminalId: `of-${name}` } : { output: '', exitCode: 0 };
      });
    }
    await prompt(two, sessionId, [
      { terminal: { command: 'ls' } },
      { request: { method: 'terminal/create', params: { sessionId: '$SESSION', command: 'x' } } },
    ]);
    await prompt(one, sessionId, [
      { request: { method: 'terminal/output', params: { sessionId: '$SESSION', terminalId: 'of-two' } } },
    ]);
    expect(new Set(seen.map((entry) => entry.split(' ')[0]))).toEqual(new Set(['two']));
    expect(seen).toHaveLength(6);
    two.close();
    await eventually(async () => {
      await prompt(one, sessionId, [
        { request: { method: 'terminal/output', params: { sessionId: '$SESSION', terminalId: 'of-two' } } },
      ]);
      return one.agentTexts().at(-1);
    }).toContain('-32601');
  });

  it.each(['closes', 'detaches'])('is answered with an error when the client %s before it answers', async (how) => {
    const [peer, other] = [await rig.connect(), await rig.connect({ clientCapabilities: able })];
    const sessionId = await newSession(rig, peer);
    await load(rig, other, sessionId);
    const asked: JsonRpcId[] = [];
    other.onRequest('fs/read_text_file', (_params, { id }) => {
      asked.push(id);
      return new Promise(() => undefined);
    });
    const turn = prompt(peer, sessionId, [{ fsRead: '/a' }]);
    await eventually(() => asked.length).toBe(1);
    if (how === 'closes') other.close();
    else await other.request('_sandboxagent/session/detach', { sessionId });
    await turn;
    expect(JSON.parse(peer.agentTexts()[0] as string)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('left') },
    });
  });

  it('is taken back under the id that the client knows', async () => {
    const peer = await rig.connect({ clientCapabilities: able });
    const sessionId = await newSession(rig, peer);
    // Ids of the connection and of the agent run apart.
    peer.onRequest('_x', () => 1);
    await prompt(peer, await newSession(rig, peer), [{ request: { method: '_x' } }]);
    let asked: JsonRpcId = null;
    peer.onRequest('fs/read_text_file', (_params, { id }) => {
      asked = id;
      return new Promise(() => undefined);
    });
    const turn = prompt(peer, sessionId, [{ fsRead: '/a' }]);
    await peer.waitFor(({ method }) => method === 'fs/read_text_file');
    peer.notify('session/cancel', { sessionId });
    const { params } = await peer.waitFor(({ method }) => method === '$/cancel_request');
    expect(params).toEqual({ requestId: asked });
    expect(asked).toBe(1);
    peer.respond(asked, { content: 'too late' });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });
});
