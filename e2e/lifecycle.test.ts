import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeAgentCommand, type SpawnedReeve, type Step, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentText, CLIENT_TRANSPORTS, connectSdkClient, type SdkClient } from './sdk-client.ts';

/** The SDK's own client, over each transport, in front of a server that is killed once. */
describe.each(CLIENT_TRANSPORTS)('sessions over %s', (transport) => {
  let folder: string;
  let reeve: SpawnedReeve;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reeve-lifecycle-'));
    const can = fakeAgentCommand([`--state-dir=${join(folder, 'agent')}`, '--resume', '--fork', '--list=1']);
    const cannot = fakeAgentCommand(['--no-load']);
    reeve = await startReeve({
      config: { agents: { can, cannot }, defaultAgent: 'can' },
      dataDir: join(folder, 'data'),
    });
  });
  afterAll(async () => {
    await reeve?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['can', 'agent', 'resume'],
    ['cannot', 'transcript', 'transcript'],
  ])(
    'are forked, terminated and listed with an agent that %s; a fork outlives the server',
    async (agent, by, restored) => {
      let client = await connectSdkClient(reeve, { transport, agent });
      const { sessionId: parent } = await client.agent.request('session/new', { cwd: folder, mcpServers: [] });
      await prompt(client, parent, { say: 'of the parent' });
      const fork = await client.agent.request<{ sessionId: string; _meta: object }>('session/fork', {
        sessionId: parent,
        cwd: folder,
        mcpServers: [],
      } as object);
      expect(fork._meta).toMatchObject({ 'sandboxagent.dev': { forked: by } });
      await prompt(client, fork.sessionId, { say: ' and of the fork' });

      const turn = prompt(client, parent, { refuseCancel: true }, { sleep: 60_000 });
      expect(
        await client.agent.request<object>('_sandboxagent/session/terminate', { sessionId: parent } as object),
      ).toEqual({});
      expect(await turn).toMatchObject({ stopReason: 'cancelled' });
      await client.agent.request('session/delete', { sessionId: parent });
      await client[Symbol.asyncDispose]();

      await reeve.kill('SIGKILL');
      reeve = await reeve.restart();
      client = await connectSdkClient(reeve, { transport, agent });
      const loaded = await client.agent.request('session/load', {
        sessionId: fork.sessionId,
        cwd: folder,
        mcpServers: [],
      });
      expect(loaded._meta).toMatchObject({ 'sandboxagent.dev': { restored } });
      expect(agentText(client.updates, fork.sessionId)).toBe('of the parent and of the fork');
      const { sessions } = await client.agent.request('session/list', {});
      expect(sessions.map(({ sessionId }) => sessionId)).toContain(fork.sessionId);
      expect(sessions.map(({ sessionId }) => sessionId)).not.toContain(parent);
      await client[Symbol.asyncDispose]();
    },
  );
});

function prompt(client: SdkClient, sessionId: string, ...steps: Step[]): Promise<{ stopReason: string }> {
  return client.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: script(...steps) }] });
}
