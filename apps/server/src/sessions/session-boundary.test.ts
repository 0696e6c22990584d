import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, type JsonObject } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually, type SessionRig, startRig } from './session.rig.ts';
import { load, newSession, prompt } from './session-calls.rig.ts';
import { connectV2, ended, saidTo, send } from './version-two.rig.ts';

const SET = '_sandboxagent/session/set_boundary';
const UPDATE = '_sandboxagent/session/boundary_update';

let rig: SessionRig;
let peer: JsonRpcPeer;
let more: string;
let states: string;
beforeEach(async () => {
  states = await mkdtemp(join(tmpdir(), 'reeve-boundary-agents-'));
  rig = await startRig({ agents: { fake: ['--resume', `--state-dir=${states}`] } });
  peer = await rig.connect();
  more = join(rig.cwd, 'more');
  await mkdir(more);
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await rm(states, { recursive: true, force: true });
});

const rw = (...paths: string[]) => ({ roots: paths.map((path) => ({ path, access: 'rw' })) });
const ro = (...paths: string[]) => ({ roots: paths.map((path) => ({ path, access: 'ro' })) });

function set(sessionId: string, boundary: unknown, by = peer): Promise<JsonObject> {
  return by.request(SET, { sessionId, boundary });
}

async function notes(sessionId: string): Promise<readonly JsonObject[]> {
  const page = await peer.request<{ events: { kind: string; message: JsonObject }[] }>('_sandboxagent/session/events', {
    sessionId,
    limit: 1000,
  });
  return page.events.filter(({ kind }) => kind === 'note').map(({ message }) => message);
}

function ours(result: JsonObject): JsonObject {
  const meta = isObject(result._meta) ? result._meta['sandboxagent.dev'] : undefined;
  return isObject(meta) ? meta : {};
}

describe('another boundary of a session', () => {
  it('is announced, kept with the session, and told to everybody who is attached', async () => {
    const sessionId = await newSession(rig, peer);
    const other = await rig.connect();
    await load(rig, other, sessionId, { role: 'observer' });
    const unaware = await rig.connect({ wishes: { boundary: false } });
    await load(rig, unaware, sessionId);
    const { boundary } = await set(sessionId, { ...rw(rig.cwd, more), network: 'none' });
    expect(boundary).toMatchObject({ ...rw(rig.cwd, more), network: 'none', revision: 2 });
    await eventually(() => other.notifications(UPDATE)).toMatchObject([{ sessionId, boundary: { revision: 2 } }]);
    expect(peer.notifications(UPDATE)).toMatchObject([{ sessionId, boundary: { revision: 2 } }]);
    await prompt(unaware, sessionId, 'hello');
    expect(unaware.notifications(UPDATE)).toEqual([]);
    await peer.request('session/close', { sessionId });
    expect(ours(await load(rig, peer, sessionId)).boundary).toMatchObject({ ...rw(rig.cwd, more), revision: 2 });
  });

  it('leaves what is not named as it was, and is no change where it is the same', async () => {
    const sessionId = await newSession(rig, peer, { boundary: { ...rw(rig.cwd), network: 'none' } });
    expect((await set(sessionId, ro(rig.cwd))).boundary).toMatchObject({
      ...ro(rig.cwd),
      network: 'none',
      revision: 2,
    });
    expect((await set(sessionId, { network: 'none' })).boundary).toMatchObject({ ...ro(rig.cwd), revision: 2 });
  });

  it('is refused with what to mend, and changes nothing', async () => {
    const sessionId = await newSession(rig, peer);
    await expect(set(sessionId, undefined)).rejects.toMatchObject({ code: -32602 });
    await expect(set(sessionId, { roots: [{ path: 'a', access: 'rw' }] })).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ path: 'boundary.roots[0].path' }] },
    });
    const observer = await rig.connect();
    await load(rig, observer, sessionId, { role: 'observer' });
    await expect(set(sessionId, ro(rig.cwd), observer)).rejects.toMatchObject({ code: 47005 });
    await expect(set('no-such', ro(rig.cwd))).rejects.toMatchObject({ code: -32002 });
    expect(rig.directory.live(sessionId as never)?.boundary).toMatchObject({ revision: 1 });
  });

  it('is that of a workspace which the configuration names, with its servers, for forks and restores too', async () => {
    rig.governance.workspaces.shop = { roots: [{ path: rig.cwd, access: 'ro' }] };
    const sessionId = await newSession(rig, peer, { workspace: 'shop' });
    const fork = await peer.request<JsonObject>('session/fork', { sessionId, cwd: rig.cwd, mcpServers: [] });
    expect(ours(fork).boundary).toMatchObject(ro(rig.cwd));
    await peer.request('session/close', { sessionId });
    expect(ours(await load(rig, peer, sessionId)).boundary).toMatchObject(ro(rig.cwd));
    expect(rig.governance.wanted).toEqual(['shop', 'shop', 'shop']);
    await expect(newSession(rig, peer, { workspace: 'none' })).rejects.toMatchObject({
      data: { issues: [{ path: '_meta["sandboxagent.dev"].workspace', fix: 'one of shop' }] },
    });
    expect((await newSession(rig, peer, { workspace: 'shop', boundary: rw(rig.cwd) })).length).toBeGreaterThan(0);
  });

  it('that is narrower ends the turn and the process, and the next prompt finds the session in the narrower one', async () => {
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, 'the word is heron');
    const running = prompt(peer, sessionId, [{ untilCancel: true }]);
    const waiting = prompt(peer, sessionId, 'after it');
    await eventually(async () => (await notes(sessionId)).length).toBeGreaterThan(0);
    const session = rig.directory.live(sessionId as never);
    await eventually(() => session?.state).toBe('running');
    expect((await set(sessionId, ro(rig.cwd))).boundary).toMatchObject({ revision: 2 });
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    expect(await waiting).toMatchObject({ stopReason: 'end_turn' });
    const started = rig.facts.filter(({ kind }) => kind === 'agent.started');
    expect(started).toMatchObject([
      { revision: 1, roots: [{ access: 'rw' }] },
      { revision: 2, roots: [{ access: 'ro' }] },
    ]);
    const told = (await notes(sessionId)).map(({ type }) => type);
    expect(told).toEqual(expect.arrayContaining(['agent_replaced', 'boundary_carried_out', 'agent_restored']));
    expect(rig.unforeseen).toEqual([]);
  });

  it('that is narrower ends the process also where it cannot be written down, and is not told as done', async () => {
    const sessionId = await newSession(rig, peer);
    const failing = vi.spyOn(rig.store.sessions, 'put').mockRejectedValue(new Error('the disk is full'));
    await expect(set(sessionId, ro(rig.cwd))).rejects.toThrow();
    failing.mockRestore();
    await eventually(() => rig.facts.filter(({ kind }) => kind === 'agent.exited')).toHaveLength(1);
    expect(peer.notifications(UPDATE)).toEqual([]);
    rig.unforeseen.splice(0);
  });

  it('that is wider waits for the end of the turn, which goes on', async () => {
    const sessionId = await newSession(rig, peer);
    const running = prompt(peer, sessionId, [{ untilCancel: true }]);
    await eventually(() => rig.directory.live(sessionId as never)?.state).toBe('running');
    await set(sessionId, rw(rig.cwd, more));
    expect(rig.facts.filter(({ kind }) => kind === 'agent.exited')).toEqual([]);
    peer.notify('session/cancel', { sessionId });
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    expect(await prompt(peer, sessionId, 'now')).toMatchObject({ stopReason: 'end_turn' });
    expect(rig.facts.filter(({ kind }) => kind === 'agent.started')).toMatchObject([{ revision: 1 }, { revision: 2 }]);
  });

  it('that is another for an MCP server alone leaves the process as it is, but not one that is outdated already', async () => {
    const sessionId = await newSession(rig, peer);
    await prompt(peer, sessionId, 'before');
    await rig.governance.guards.at(-1)?.decided();
    expect(rig.directory.live(sessionId as never)?.boundary).toMatchObject({ revision: 2 });
    expect(await prompt(peer, sessionId, 'after')).toMatchObject({ stopReason: 'end_turn' });
    expect(rig.facts.filter(({ kind }) => kind === 'agent.started')).toMatchObject([{ revision: 1 }]);

    await set(sessionId, rw(rig.cwd, more));
    await rig.governance.guards.at(-1)?.decided();
    expect(await prompt(peer, sessionId, 'wider')).toMatchObject({ stopReason: 'end_turn' });
    expect(rig.facts.filter(({ kind }) => kind === 'agent.started')).toMatchObject([{ revision: 1 }, { revision: 4 }]);
  });

  it('is in the record of the session in the very tick of each revision, also while an earlier one is carried out', async () => {
    const sessionId = await newSession(rig, peer);
    const revision = () => rig.directory.live(sessionId as never)?.boundary?.revision;
    const first = rig.governance.guards.at(-1)?.decided();
    expect(revision()).toBe(2);
    const second = rig.governance.guards.at(-1)?.decided();
    expect(revision()).toBe(3);
    await Promise.all([first, second]);
    await peer.request('session/close', { sessionId });
    expect((await set(sessionId, ro(rig.cwd))).boundary).toMatchObject({ revision: 4 });
  });

  it('is set on a session that has no process, which is not started for it', async () => {
    const sessionId = await newSession(rig, peer);
    await peer.request('session/close', { sessionId });
    expect((await set(sessionId, ro(rig.cwd))).boundary).toMatchObject({ ...ro(rig.cwd), revision: 2 });
    expect(rig.facts.filter(({ kind }) => kind === 'agent.started')).toHaveLength(1);
    await eventually(() => rig.directory.liveCount).toBe(0);
    expect(ours(await load(rig, peer, sessionId)).boundary).toMatchObject({ ...ro(rig.cwd), revision: 2 });
  });

  it('counts for a fork', async () => {
    const sessionId = await newSession(rig, peer);
    await set(sessionId, ro(rig.cwd));
    const fork = await peer.request<JsonObject>('session/fork', { sessionId, cwd: rig.cwd, mcpServers: [] });
    expect(ours(fork).boundary).toMatchObject(ro(rig.cwd));
  });

  it('of a session of ACP v2 that is narrower ends its work as cancelled, and the next prompt is taken', async () => {
    await using two = await startRig({ agents: { fake: ['--v2', `--state-dir=${states}`] } });
    await using client = await connectV2(two);
    const server = { type: 'stdio', name: 'files', command: 'files-server' };
    const { sessionId } = await client.request<{ sessionId: string }>('session/new', {
      cwd: two.cwd,
      mcpServers: [server],
    });
    await send(client, sessionId, [{ received: 'session' }]);
    await ended(client, 'end_turn');
    expect(saidTo(client)).toContain('{"type":"stdio","name":"files","command":"/endpoint"');
    await send(client, sessionId, [{ untilCancel: true }]);
    await eventually(() => two.directory.live(sessionId as never)?.state).toBe('running');
    expect(await set(sessionId, ro(two.cwd), client)).toMatchObject({ boundary: { ...ro(two.cwd), revision: 2 } });
    await ended(client, 'cancelled');
    await send(client, sessionId, 'after it');
    await ended(client, 'end_turn');
    expect(two.facts.filter(({ kind }) => kind === 'agent.started')).toMatchObject([{ revision: 1 }, { revision: 2 }]);
    expect(two.unforeseen).toEqual([]);
  });

  it('changes a hundred times with prompts racing, and every one of them is answered', {
    timeout: 120_000,
  }, async () => {
    const sessionId = await newSession(rig, peer);
    const prompts: Promise<JsonObject>[] = [];
    const other = await rig.connect();
    await load(rig, other, sessionId);
    let going = true;
    const prompter = (async () => {
      for (let count = 0; going; count += 1) {
        const key = count % 2 === 0 ? { idempotencyKey: `key-${count}` } : undefined;
        const asked = prompt(other, sessionId, `prompt ${count}`, key);
        prompts.push(asked);
        await asked;
      }
    })();
    const wishes = [rw(rig.cwd), rw(rig.cwd, more), ro(rig.cwd), rw(rig.cwd, more)];
    for (let count = 0; count < 100; count += 1) {
      const { boundary } = await set(sessionId, wishes[count % wishes.length] as object);
      expect(isObject(boundary) && boundary.roots).toEqual(wishes[count % wishes.length]?.roots);
    }
    going = false;
    await prompter;
    const ends = (await Promise.all(prompts)).map(({ stopReason }) => stopReason);
    expect(ends.filter((end) => end !== 'end_turn' && end !== 'cancelled')).toEqual([]);
    expect(await prompt(peer, sessionId, 'at last')).toMatchObject({ stopReason: 'end_turn' });
    expect(rig.unforeseen).toEqual([]);
    expect(rig.warnings).toEqual([]);
  });
});
