import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordedAgentCommand } from '../recorded-agent-command.ts';
import { startAgent } from '../start-agent.ts';

it('plays what followed each message, byte for byte but for the ids of answers, and refuses what is not next', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'reeve-recorded-agent-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const odd = '{ "method":"a/b","params":{"n":1.0,"n":1e3} , "jsonrpc":"2.0"}';
  const lines = [
    { from: 'client', line: '{"jsonrpc":"2.0","id":1,"method":"first"}' },
    { from: 'agent', line: odd },
    { from: 'agent', line: '{"jsonrpc":"2.0","result":{"x":1.50},"id":1}' },
    { from: 'agent', line: '{"jsonrpc":"2.0","id":"q","method":"ask"}' },
    { from: 'client', line: '{"jsonrpc":"2.0","id":"q","result":{}}' },
    { from: 'agent', line: '{"jsonrpc":"2.0","method":"thanks"}' },
  ];
  const file = join(folder, 'recording.jsonl');
  await writeFile(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const agent = opened.use(startAgent({ command: recordedAgentCommand(file) }));
  const { peer } = agent;
  peer.onRequest('ask', () => ({}));
  await expect(peer.request('second', {})).rejects.toMatchObject({ code: -32601, data: { method: 'second' } });
  await peer.request('first', {}, { id: 'mine' });
  await peer.waitFor(({ method }) => method === 'thanks');
  const got = peer.log.flatMap(({ direction, raw }) => (direction === 'in' ? [raw] : []));
  expect(got.slice(1)).toEqual([
    odd,
    '{"jsonrpc":"2.0","result":{"x":1.50},"id":"mine"}',
    '{"jsonrpc":"2.0","id":"q","method":"ask"}',
    '{"jsonrpc":"2.0","method":"thanks"}',
  ]);
});
