import type { SessionId } from '@reeve/protocol';
import { describe, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import { startRig } from './session.rig.ts';

describe('what is kept of a session', () => {
  it('is not read from the store while the session is in memory, by id or alias', async () => {
    await using memory = openMemoryStore();
    const looked: string[] = [];
    const find = (name: string) => {
      looked.push(name);
      return memory.sessions.find(name);
    };
    const dispose = () => memory[Symbol.asyncDispose]();
    const store = { ...memory, sessions: { ...memory.sessions, find }, [Symbol.asyncDispose]: dispose };
    await using rig = await startRig({ store });
    const client = await rig.connect();
    const _meta = { 'sandboxagent.dev': { requestedSessionId: 'by-name' } };
    const made = await client.request<{ sessionId: SessionId }>('session/new', { cwd: rig.cwd, mcpServers: [], _meta });
    looked.length = 0;
    expect(await rig.directory.record(made.sessionId)).toBe(rig.directory.live(made.sessionId)?.record);
    expect(await rig.directory.record('by-name')).toBe(rig.directory.live(made.sessionId)?.record);
    expect(looked).toEqual([]);
    await rig.directory.close(made.sessionId);
    expect(await rig.directory.record('by-name')).toMatchObject({ sessionId: made.sessionId, closed: true });
    expect(looked).toEqual(['by-name']);
    await rig.directory.remove('by-name');
    await expect(rig.directory.record('by-name')).rejects.toThrow('there is no such session');
  });

  it('is found by nobody before the session is in the store', async () => {
    await using memory = openMemoryStore();
    const publishing = Promise.withResolvers<SessionId>();
    const mayPublish = Promise.withResolvers<void>();
    const sessions = {
      ...memory.sessions,
      async put(record: Parameters<typeof memory.sessions.put>[0]) {
        publishing.resolve(record.sessionId);
        await mayPublish.promise;
        return memory.sessions.put(record);
      },
    };
    const store = { ...memory, sessions, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
    await using rig = await startRig({ store });
    const client = await rig.connect();
    const made = client.request('session/new', { cwd: rig.cwd, mcpServers: [] });
    const sessionId = await publishing.promise;
    await expect(rig.directory.record(sessionId)).rejects.toThrow('there is no such session');
    mayPublish.resolve();
    await made;
    expect(await rig.directory.record(sessionId)).toMatchObject({ sessionId });
  });
});
