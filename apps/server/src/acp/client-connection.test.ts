import { connectWebSocket, script } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SessionRig, startRig } from '../sessions/session.rig.ts';

describe('a connection before initialize is answered', () => {
  let rig: SessionRig;
  beforeAll(async () => {
    rig = await startRig({ agents: { fake: [], mute: ['--hang-initialize'] }, launch: { initializeMs: 1500 } });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('keeps what a client sends without waiting, and takes it in order', async () => {
    const peer = await connectWebSocket(rig.url);
    const initialized = peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const listed = peer.request('session/list', {});
    const created = peer.request('session/new', { cwd: rig.cwd, mcpServers: [] });
    await expect(initialized).resolves.toMatchObject({ protocolVersion: 1 });
    await expect(listed).resolves.toHaveProperty('sessions');
    await expect(created).resolves.toHaveProperty('sessionId');
    peer.close();
  });

  it('refuses what waited when initialize fails, and may be initialized again', async () => {
    const peer = await connectWebSocket(`${rig.url}`);
    const failed = peer.request('initialize', {
      protocolVersion: 1,
      _meta: { 'sandboxagent.dev': { agent: 'mute' } },
    });
    const listed = peer.request('session/list', {});
    await expect(failed).rejects.toMatchObject({ data: { name: 'agent_timeout' } });
    await expect(listed).rejects.toMatchObject({ code: -32600 });
    await expect(peer.request('initialize', { protocolVersion: 1 })).resolves.toMatchObject({ protocolVersion: 1 });
    peer.close();
  });

  it('drops a client that sends without end before it is let in', async () => {
    const peer = await connectWebSocket(rig.url);
    const failed = peer.request('initialize', { protocolVersion: 1, _meta: { 'sandboxagent.dev': { agent: 'mute' } } });
    failed.catch(() => undefined);
    const lists = Array.from({ length: 257 }, () => peer.request('session/list', {}));
    for (const list of lists) list.catch(() => undefined);
    await peer.closed;
  });
});

describe('a connection', () => {
  it('is told at once that somebody is there, whatever its sessions do', async () => {
    await using rig = await startRig({ agents: { fake: [] } });
    const peer = await connectWebSocket(rig.url);
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd: rig.cwd, mcpServers: [] });
    const prompt = [{ type: 'text', text: script({ untilCancel: true }) }];
    const turn = peer.request('session/prompt', { sessionId, prompt });
    expect(await peer.request('_sandboxagent/ping', {})).toEqual({});
    peer.notify('session/cancel', { sessionId });
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    peer.close();
  });
});
