import { type EventSeq, META_KEY } from '@reeve/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type SessionRig, startRig } from '../sessions/session.rig.ts';
import { connectV2, newV2 } from '../sessions/version-two.rig.ts';
import { createSessionDriver, type SessionDriver } from './session-driver.ts';

describe('sessions that are driven over HTTP', () => {
  let rig: SessionRig;
  let driver: SessionDriver;
  const start = async (flags: readonly string[]): Promise<void> => {
    rig = await startRig({ agents: { fake: flags } });
    driver = createSessionDriver(rig.directory, rig.agents);
  };
  afterEach(async () => {
    expect(rig.unforeseen).toEqual([]);
    await rig[Symbol.asyncDispose]();
  });

  it('forks a session with what was said in it, and refuses one of ACP v2', async () => {
    await start(['--v2']);
    const { sessionId } = await driver.create({ cwd: rig.cwd, metadata: { title: 'Parent' } }, 'ci 1');
    await (await driver.prompt(sessionId, { prompt: 'remember this' }, 'ci 1')).finished;
    const made = await driver.fork(sessionId, { metadata: { model: 'opus' } }, 'ci 1');
    const fork = await rig.directory.record(made.sessionId);
    expect(fork).toMatchObject({ cwd: rig.cwd, title: 'Parent' });
    expect(made._meta).toMatchObject({ [META_KEY]: { parent: { sessionId }, forked: expect.any(String) } });
    const chunks = await rig.directory.services.log.read(fork.sessionId, 0 as EventSeq, 1024 * 1024);
    expect(Buffer.concat(chunks.map(({ body }) => body)).toString()).toContain('remember this');
    expect(rig.facts).toContainEqual(expect.objectContaining({ kind: 'session.forked', by: 'ci 1' }));
    expect(rig.directory.live(fork.sessionId)?.attachedCount).toBe(0);

    await expect(driver.fork('nobody', {}, 'ci 1')).rejects.toMatchObject({ name: 'not_found' });
    await expect(driver.fork(sessionId, { cwd: '/no/such/place' }, 'ci 1')).rejects.toMatchObject({
      name: 'invalid_params',
    });
    const two = await newV2(rig, await connectV2(rig));
    await expect(driver.fork(two, {}, 'ci 1')).rejects.toMatchObject({ name: 'capability_missing' });
  });
});
