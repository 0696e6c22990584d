import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessHolder } from '@reeve/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { EVERYTHING, openGateway, socketOf } from './gateway.rig.ts';
import { connectRaw, type RawAgent, speakRaw, type WireMessage } from './raw-agent.rig.ts';

const opened = new AsyncDisposableStack();
const holder = opened.use(createProcessHolder({ sandbox: 'none' }));
afterAll(() => opened.disposeAsync());

type Step = readonly [method: string, params?: object];

/** Starts the server itself. */
async function direct(args: readonly string[]): Promise<RawAgent> {
  const env = { PATH: process.env.PATH ?? '' };
  const start = await holder.start({ command: process.execPath, args, env, cwd: tmpdir() });
  if (start.kind === 'failed') throw new Error(start.message);
  return obliging(speakRaw(start.process.stdout, start.process.stdin));
}

async function through(args: readonly string[]) {
  const rig = opened.use(
    await openGateway({ args, trusted: true, roots: [{ path: '/srv/a', access: 'rw', name: 'a' }] }),
  );
  return { rig, agent: obliging(await connectRaw(socketOf(rig))) };
}

/** Answers what the server asks. */
function obliging<T extends RawAgent>(agent: T): T {
  agent.onRequest = ({ method }) => {
    if (method === 'roots/list') return { roots: [{ uri: 'file:///srv/a', name: 'a' }] };
    if (method === 'elicitation/create') return { action: 'accept', content: { name: 'x' } };
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'said' } };
  };
  return agent;
}

/** What each step gives, and what is heard beside; ids and times are not compared. */
async function take(agent: RawAgent, steps: readonly Step[]) {
  const answers: unknown[] = [];
  for (const [method, params] of steps) {
    const { result, error } = await agent.ask(method, params);
    // The server puts the time into some of its texts.
    const text = JSON.stringify({ method, result, error }).replace(/\d+:\d\d:\d\d [AP]M/g, 'now');
    answers.push(JSON.parse(text));
  }
  return {
    answers,
    heard: agent.heard.map(({ method, params, id }: WireMessage) => ({ method, params, asked: id !== undefined })),
  };
}

const call = (name: string, given: object = {}, meta: object = {}): Step => [
  'tools/call',
  { name, arguments: given, _meta: meta },
];

describe('what an agent gets of a server through the gateway', () => {
  it('is what it gets without, of the reference server of everything', async () => {
    const steps: readonly Step[] = [
      ['tools/list', {}],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['prompts/list', {}],
      ['logging/setLevel', { level: 'error' }],
      ['ping'],
      call('echo', { message: 'é "quoted" \u2028' }),
      call('get-sum', { a: 1e21, b: 2.5 }),
      call('get-tiny-image'),
      call('get-annotated-message', { messageType: 'error', includeImage: true }),
      call('get-structured-content', { location: 'New York' }),
      call('get-resource-links', { count: 2 }),
      call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
      call('trigger-sampling-request', { prompt: 'p', maxTokens: 10 }),
      call('trigger-elicitation-request'),
      call('get-roots-list'),
      call('trigger-long-running-operation', { duration: 0.2, steps: 2 }, { progressToken: 'long' }),
      call('unknown-tool'),
      call('get-sum', { a: 'x' }),
      ['prompts/get', { name: 'args-prompt', arguments: { city: 'x', state: 'y' } }],
      ['prompts/get', { name: 'unknown' }],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } },
      ],
      ['resources/read', { uri: 'demo://resource/static/document/features.md' }],
      ['resources/read', { uri: 'unknown://x' }],
      ['resources/subscribe', { uri: 'demo://resource/static/document/features.md' }],
      ['x/unknown', { a: 1 }],
    ];
    const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
    const plain = await direct([EVERYTHING, 'stdio']);
    const { rig, agent: relayed } = await through([EVERYTHING, 'stdio']);
    const hellos = [await plain.open(capabilities), await relayed.open(capabilities)];
    expect(hellos[1]?.result).toEqual(hellos[0]?.result);
    // The server asks for roots first thing, and says something when it has them.
    await expect.poll(() => plain.heard.some(({ method }) => method === 'roots/list')).toBe(true);
    await expect.poll(() => rig.rootsTold).not.toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const [without, withGateway] = [await take(plain, steps), await take(relayed, steps)];
    expect(withGateway.answers).toEqual(without.answers);
    const beside = ({ heard }: typeof without) => heard.filter(({ method }) => method !== 'roots/list');
    expect(new Set(beside(withGateway).map((heard) => JSON.stringify(heard)))).toEqual(
      new Set(beside(without).map((heard) => JSON.stringify(heard))),
    );
    expect(withGateway.heard.map(({ method }) => method)).not.toContain('roots/list');
  });

  it('is what it gets without, of a server of 2026-07-28', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      'example.org/own': { kept: true },
    };
    const steps: readonly Step[] = [
      ['server/discover', { _meta }],
      ['tools/list', { _meta }],
      ['tools/call', { name: 'echo', _meta }],
      ['tools/call', { name: 'confirm', _meta }],
      ['tools/call', { name: 'confirm', inputResponses: { c: { action: 'accept', content: {} } }, _meta }],
      ['tools/call', { name: 'state', _meta }],
      ['tools/call', { name: 'state', requestState: 'a state, "quoted" & é', _meta }],
      ['tools/call', { name: 'unknown', _meta }],
      ['x/unknown', { _meta }],
    ];
    const args = [join(import.meta.dirname, 'stateless-server.rig.ts')];
    const [without, withGateway] = [
      await take(await direct(args), steps),
      await take((await through(args)).agent, steps),
    ];
    expect(withGateway).toEqual(without);
  });
});
