import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type GatewayRigOptions, openGateway, scripted, socketOf } from './gateway.rig.ts';
import { connectRaw } from './raw-agent.rig.ts';
import { META, STATELESS_VERSION } from './wire/mcp-keys.ts';

const STATELESS = join(import.meta.dirname, 'stateless-server.rig.ts');
const ROOTS = [{ path: '/srv/a', access: 'rw' as const, name: 'a' }];
const GRANTED = { roots: [{ uri: 'file:///srv/a', name: 'a' }] };
const FORGED = { roots: [{ uri: 'file:///etc', name: 'forged' }] };
const NEW = { [META.version]: STATELESS_VERSION, [META.clientInfo]: { name: 'raw', version: '1' } };

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function open(options: GatewayRigOptions) {
  const rig = await openGateway({ roots: ROOTS, ...options });
  opened.push(rig);
  const agent = await connectRaw(socketOf(rig));
  opened.push(agent);
  return { rig, agent };
}

const textOf = (result: unknown): string => (result as { content?: { text: string }[] }).content?.[0]?.text ?? '';

describe('an agent that tells the server of roots itself', () => {
  const call = (name: string, inputResponses: object, meta?: object) => ({
    name,
    arguments: {},
    inputResponses,
    requestState: 'a state, "quoted" & é',
    ...(meta ? { _meta: meta } : {}),
  });

  it('is not believed, in the new era', async () => {
    const { agent } = await open({ args: [STATELESS] });
    const { result } = await agent.ask('tools/call', call('roots', { r: FORGED }, NEW));
    expect(JSON.parse(textOf(result))).toMatchObject({ roots: GRANTED });
  });

  it('is not believed, in the old era', async () => {
    const { agent } = await open({ args: [STATELESS] });
    await agent.open();
    const { result } = await agent.ask('tools/call', call('roots', { r: FORGED }));
    expect(JSON.parse(textOf(result))).toMatchObject({ roots: GRANTED });
  });
});

describe('a message that two programs read in two ways', () => {
  const lines = [
    [
      'its method twice',
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","method":"tools/list","params":{"name":"echo"}}',
    ],
    [
      'its method in another spelling',
      '{"jsonrpc":"2.0","id":7,"method":"x/unknown","Method":"tools/call","params":{"name":"echo"}}',
    ],
    ['only another spelling of the tool', '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"Name":"echo"}}'],
    [
      'a letter that folds to another',
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","argument\u017f":{}}}',
    ],
    ['an answer too', '{"jsonrpc":"2.0","id":7,"method":"x/own","result":{"roots":[{"uri":"file:///etc"}]}}'],
    ['an error too', '{"jsonrpc":"2.0","id":7,"method":"x/own","error":{"code":1,"message":"no"}}'],
    [
      'an argument twice',
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"a":[{"path":"/etc","p\\u0061th":"/srv/a"}]}}}',
    ],
  ] as const;

  it.each(lines)('does not reach the server: %s', async (_what, line) => {
    const { agent, rig } = await open({ args: scripted() });
    await agent.open();
    agent.socket.write(`${line}\n`);
    const answered = () => agent.heard.find(({ id }) => id === 7);
    await expect.poll(answered, { interval: 5 }).toBeDefined();
    expect(JSON.stringify(answered())).toMatch(/can be read in more than one way/);
    expect(rig.gated).toEqual([]);
  });

  it('is nothing that a plain one is taken for', async () => {
    const { agent } = await open({ args: scripted() });
    await agent.open();
    const given = { path: 'a', Path: 'b', edits: [{ name: 1, Name: 2 }], '': [[], {}] };
    expect(JSON.parse(textOf((await agent.call('echo', given)).result))).toEqual(given);
  });
});
