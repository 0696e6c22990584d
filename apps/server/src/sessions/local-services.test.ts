import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@reeve/protocol';
import type { JsonRpcPeer, Step } from '@reeve/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { canServeFiles } from '../boundary/open-roots.ts';
import { eventually, type RigOptions, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt, rawOf } from './session-calls.rig.ts';

const ABLE = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };

// Without /proc nothing is served: local-services.ts.
describe.runIf(canServeFiles)('what Reeve itself serves to an agent', () => {
  let rig: SessionRig;
  const start = async (options: RigOptions = {}): Promise<void> => {
    rig = await startRig(options);
  };
  afterEach(async () => {
    expect(rig.unforeseen).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  /** What the agent says that it was answered, one for each step. */
  const answers = async (peer: JsonRpcPeer, sessionId: string, ...steps: Step[]): Promise<JsonObject[]> => {
    const before = peer.agentTexts().length;
    await prompt(peer, sessionId, steps);
    return peer
      .agentTexts()
      .slice(before)
      .map((text) => JSON.parse(text) as JsonObject);
  };
  const ask = (method: string, params: JsonObject): Step => ({
    request: { method, params: { sessionId: '$SESSION', ...params } },
  });
  const sleepers = (mark: string): number =>
    readdirSync('/proc').filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${mark}\0`;
      } catch {
        return false;
      }
    }).length;
  const newMark = (): string => `${100 + Math.random()}`;

  it('is files and terminals inside the roots of the session, where no client serves them', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await writeFile(join(rig.cwd, 'file'), 'one\ntwo\n');
    const path = join(rig.cwd, 'new', 'file');
    const given = await answers(
      peer,
      sessionId,
      { fsRead: join(rig.cwd, 'file') },
      { fsWrite: { path, content: 'written' } },
      { fsRead: join(rig.cwd, 'none') },
      { fsRead: '/etc/passwd' },
      { terminal: { command: 'sh', args: ['-c', 'pwd -P; exit 3'] } },
      { terminal: { command: 'pwd', cwd: '/' } },
    );
    expect(given).toEqual([
      { content: 'one\ntwo\n' },
      {},
      { error: expect.objectContaining({ code: -32002 }) },
      { error: expect.objectContaining({ code: 47016 }) },
      { output: `${rig.cwd}\n`, truncated: false, exitStatus: { exitCode: 3, signal: null } },
      { error: expect.objectContaining({ code: 47016 }) },
    ]);
    expect(await readFile(path, 'utf8')).toBe('written');
  });

  it('leaves a record of what was refused outside the roots, and of a thousand refusals few', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const outside = { fsRead: '/etc/planted/../shadow' };
    await answers(peer, sessionId, { fsRead: join(rig.cwd, 'none') }, outside);
    const refused = () => rig.facts.filter(({ kind }) => kind === 'fs.refused');
    const record = { session: sessionId, method: 'fs/read_text_file', reason: 'outside', decision: 'deny' };
    expect(refused()).toEqual([{ kind: 'fs.refused', ...record, place: { path: '/etc/shadow' }, count: 1 }]);
    await answers(peer, sessionId, ...Array.from({ length: 30 }, () => outside));
    expect(refused()).toHaveLength(1);
    await peer.request('session/close', { sessionId });
    await eventually(refused).toMatchObject([{ count: 1 }, { ...record, count: 30 }]);
  });

  it('leaves a record of a command that was refused its directory, and none of one that is not there', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const outside = { terminal: { command: 'pwd', cwd: '/etc/planted/..' } };
    const missing = [
      { terminal: { command: 'no-such-command' } },
      { terminal: { command: 'pwd', cwd: join(rig.cwd, 'none') } },
    ];
    await answers(peer, sessionId, ...missing, outside);
    const refused = () => rig.facts.filter(({ kind }) => kind === 'terminal.refused');
    const record = { kind: 'terminal.refused', session: sessionId, reason: 'outside', decision: 'deny' };
    expect(refused()).toEqual([{ ...record, place: { path: '/etc' }, count: 1 }]);
    await answers(peer, sessionId, ...Array.from({ length: 30 }, () => outside));
    expect(refused()).toHaveLength(1);
    await peer.request('session/close', { sessionId });
    await eventually(refused).toMatchObject([{ count: 1 }, { ...record, count: 30 }]);
  });

  it('stands in the log as answered by Reeve', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, [{ fsWrite: { path: join(rig.cwd, 'file'), content: 'x' } }]);
    const { events } = await peer.request<{ events: JsonObject[] }>('_sandboxagent/session/events', { sessionId });
    expect(events).toContainEqual(
      expect.objectContaining({ source: 'reeve', kind: 'response', message: expect.objectContaining({ result: {} }) }),
    );
  });

  it('leaves what its terminals show in the log, until they have ended, and no client is sent it', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const params = { command: 'sh', args: ['-c', 'echo begun; sleep 60'] };
    const [created] = await answers(peer, sessionId, ask('terminal/create', params));
    const { terminalId } = created as JsonObject;
    const notes = async (): Promise<unknown[]> => {
      const { events } = await peer.request<{ events: JsonObject[] }>('_sandboxagent/session/events', { sessionId });
      return events.map(({ message }) => message as JsonObject).filter(({ type }) => `${type}`.startsWith('terminal_'));
    };
    const begun = { type: 'terminal_output', terminalId, output: 'begun\n' };
    await eventually(notes).toEqual([begun]);
    await answers(peer, sessionId, ask('terminal/kill', { terminalId }));
    await eventually(notes).toEqual([
      begun,
      { type: 'terminal_exited', terminalId, exitCode: null, signal: expect.stringMatching(/^SIG/) },
    ]);
    const sent = peer.log.filter(({ direction, message }) => direction === 'in' && message && 'method' in message);
    expect(sent.map(({ raw }) => raw).filter((raw) => raw.includes('terminal_output'))).toEqual([]);
  });

  it.each([
    ['when-asked', {}],
    ['offer', ABLE],
    ['always', ABLE],
  ] as const)('%s: is announced to the agent as %j beside what its client can', async (agentServices, announced) => {
    await start({ agentServices });
    const peer = await rig.connect({
      clientCapabilities: { positionEncodings: ['utf-8'], fs: { _meta: { mine: 1 } } },
    });
    const sessionId = await newSession(rig, peer);
    const [told] = await answers(peer, sessionId, { received: 'initialize' });
    expect(told).toMatchObject({ clientCapabilities: { positionEncodings: ['utf-8'], fs: { _meta: { mine: 1 } } } });
    const { fs, terminal } = (told as JsonObject).clientCapabilities as JsonObject;
    expect({ fs, terminal }).toMatchObject(announced);
    expect(terminal).toBe('terminal' in announced ? true : undefined);
  });

  it.each([
    ['when-asked', 'of the client'],
    ['offer', 'of the client'],
    ['always', 'on the disk'],
  ] as const)('%s: a client that can serve files as well: %s', async (agentServices, content) => {
    await start({ agentServices });
    const peer = await rig.connect({ clientCapabilities: ABLE });
    peer.onRequest('fs/read_text_file', () => ({ content: 'of the client' }));
    await writeFile(join(rig.cwd, 'file'), 'on the disk');
    const sessionId = await newSession(rig, peer);
    expect(await answers(peer, sessionId, { fsRead: join(rig.cwd, 'file') })).toEqual([{ content }]);
    expect(rawOf(peer, 'fs/read_text_file')).toHaveLength(agentServices === 'always' ? 0 : 1);
  });

  it('keeps a terminal that it started, also when a client comes that could', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const [created] = await answers(peer, sessionId, ask('terminal/create', { command: 'echo', args: ['mine'] }));
    const able = await rig.connect({ clientCapabilities: ABLE });
    able.onRequest('*', () => ({ output: 'of the client', truncated: false }));
    await load(rig, able, sessionId);
    const { terminalId } = created as JsonObject;
    const given = await answers(
      able,
      sessionId,
      ask('terminal/wait_for_exit', { terminalId }),
      ask('terminal/output', { terminalId }),
      ask('terminal/release', { terminalId }),
    );
    expect(given).toEqual([
      { exitCode: 0, signal: null },
      { output: 'mine\n', truncated: false, exitStatus: { exitCode: 0, signal: null } },
      {},
    ]);
    expect(rawOf(able, 'terminal/output')).toEqual([]);
  });

  it('stops waiting for a command when the agent takes its request back', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const turn = prompt(peer, sessionId, [{ terminal: { command: 'sleep', args: ['60'] } }]);
    const log = async () => JSON.stringify(await peer.request('_sandboxagent/session/events', { sessionId }));
    await eventually(log).toContain('terminal/wait_for_exit');
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    await eventually(log).toContain('-32800');
  });

  it.each(['its session is closed', 'its process crashes'])('ends the commands of an agent when %s', async (how) => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const mark = newMark();
    await answers(
      peer,
      sessionId,
      ask('terminal/create', { command: 'sh', args: ['-c', `setsid sleep ${mark} & wait`] }),
    );
    await eventually(() => sleepers(mark)).toBe(1);
    if (how === 'its session is closed') await peer.request('session/close', { sessionId });
    else await prompt(peer, sessionId, [{ crash: { code: 1 } }]).catch(() => undefined);
    await eventually(() => sleepers(mark)).toBe(0);
  });

  it('does no more at once than the limit of requests that wait', async () => {
    await start({ limits: { maxPendingRequests: 1 } });
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const [created] = await answers(peer, sessionId, ask('terminal/create', { command: 'sleep', args: ['60'] }));
    const { terminalId } = created as JsonObject;
    const wait = JSON.stringify({
      jsonrpc: '2.0',
      id: 'waits',
      method: 'terminal/wait_for_exit',
      params: { sessionId, terminalId },
    });
    const given = await answers(peer, sessionId, { raw: wait }, ask('terminal/output', { terminalId }));
    expect(given).toEqual([
      {
        error: expect.objectContaining({ code: 47010, message: expect.stringContaining('limits.maxPendingRequests') }),
      },
    ]);
  });

  it('is nothing else: what neither it nor a client serves is -32601', async () => {
    await start();
    const peer = await rig.connect();
    const sessionId = await newSession(rig, peer);
    const methods = ['fs/delete_file', 'terminal/resize'];
    const given = await answers(peer, sessionId, ...methods.map((method) => ask(method, {})));
    for (const answer of given) expect(answer).toMatchObject({ error: { code: -32601 } });
  });
});
