import { tmpdir } from 'node:os';
import {
  connectWebSocket,
  type JsonRpcId,
  type JsonRpcPeer,
  type SpawnedReeve,
  script,
  startReeve,
} from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callControl, readLog } from './control-calls.ts';

const TIMES = 1_000;
const PER_PROMPT = 100;
const cwd = tmpdir();

describe('a permission that two clients answer at once', () => {
  let reeve: SpawnedReeve;

  beforeAll(async () => {
    reeve = await startReeve();
  });
  afterAll(() => reeve?.[Symbol.asyncDispose]());

  it(`is won by exactly one of them, ${TIMES.toLocaleString('en')} times, and the agent gets one answer`, async () => {
    await using first = await connect(reeve);
    await using second = await connect(reeve);
    const { sessionId } = await first.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    await second.request('session/resume', { sessionId, cwd });

    const told = { first: tellings(first), second: tellings(second) };
    // Each waits until both were asked, then both answer in the same tick, by turns one or the other first.
    const asked: { peer: JsonRpcPeer; id: JsonRpcId; requestId: string; optionId: string }[] = [];
    const requestIds: string[] = [];
    const ask = (peer: JsonRpcPeer, optionId: string) => (params: unknown, request: { id: JsonRpcId }) => {
      const requestId = requestIdOf(params);
      asked.push({ peer, id: request.id, requestId, optionId });
      if (asked.length === 2) {
        const both = asked.splice(0);
        expect(new Set(both.map((one) => one.requestId)).size).toBe(1);
        requestIds.push(requestId);
        for (const one of requestIds.length % 2 === 0 ? both : both.reverse()) {
          one.peer.respond(one.id, { outcome: { outcome: 'selected', optionId: one.optionId } });
        }
      }
      return new Promise(() => {});
    };
    first.onRequest('session/request_permission', ask(first, 'allow-once'));
    second.onRequest('session/request_permission', ask(second, 'reject-once'));

    const steps = Array.from({ length: PER_PROMPT }, (_, index) => ({ permission: { title: `Step ${index}` } }));
    for (let done = 0; done < TIMES; done += PER_PROMPT) {
      const prompt = [{ type: 'text', text: script(...steps) }];
      const { stopReason } = await first.request('session/prompt', { sessionId, prompt });
      expect(stopReason).toBe('end_turn');
    }
    expect(requestIds.length).toBe(TIMES);

    const log = await readLog(reeve, sessionId);
    const toAgent = log.filter(({ kind, message }) => kind === 'response' && 'result' in (message as object));
    const ids = toAgent.map(({ message }) => (message as { id: JsonRpcId }).id);
    expect(ids.length).toBe(TIMES);
    expect(new Set(ids).size).toBe(TIMES);
    // The agent says each answer that it got.
    const said = log.flatMap(({ message }) => answerSaid(message));
    expect(said).toEqual(toAgent.map(({ message }) => optionOf((message as { result: unknown }).result)));
    expect(new Set(said)).toEqual(new Set(['allow-once', 'reject-once']));

    await expect.poll(() => told.first.length + told.second.length).toBe(TIMES);
    const losers = requestIds.map((id) => [
      told.first.some(({ requestId }) => requestId === id),
      told.second.some(({ requestId }) => requestId === id),
    ]);
    const expected = said.map((optionId) => [optionId === 'reject-once', optionId === 'allow-once']);
    expect(losers).toEqual(expected);
    for (const one of [...told.first, ...told.second])
      expect(one).toMatchObject({ sessionId, outcome: { kind: 'answered' } });
  });

  it('is told apart also when one of them is the HTTP API', async () => {
    await using client = await connect(reeve);
    const { sessionId } = await client.request<{ sessionId: string }>('session/new', { cwd, mcpServers: [] });
    const statuses: number[] = [];
    const posts: Promise<void>[] = [];
    client.onRequest('session/request_permission', (params) => {
      const post = callControl(reeve, `/requests/${requestIdOf(params)}/answer`, {
        method: 'POST',
        body: JSON.stringify({ reply: 'reject' }),
      });
      posts.push(
        post.then(
          () => void statuses.push(200),
          (error: unknown) => void statuses.push(/: 409 /.test(String(error)) ? 409 : 0),
        ),
      );
      return { outcome: { outcome: 'selected', optionId: 'allow-once' } };
    });
    const prompt = [{ type: 'text', text: script(...Array.from({ length: 50 }, () => ({ permission: {} }))) }];
    await client.request('session/prompt', { sessionId, prompt });
    await Promise.all(posts);
    const said = client.agentTexts(sessionId).map((text) => optionOf(JSON.parse(text)));
    expect(said.length).toBe(50);
    expect(statuses.filter((status) => status === 200).length).toBe(said.filter((id) => id === 'reject-once').length);
    expect(statuses.filter((status) => status === 409).length).toBe(said.filter((id) => id === 'allow-once').length);
  });
});

async function connect(reeve: SpawnedReeve): Promise<JsonRpcPeer> {
  const peer = await connectWebSocket(`${reeve.url}/acp`, { token: reeve.token });
  const _meta = { 'sandboxagent.dev': { requestResolved: true } };
  await peer.request('initialize', { protocolVersion: 1, clientCapabilities: { _meta } });
  return peer;
}

interface Resolved {
  readonly sessionId: string;
  readonly requestId: string;
  readonly outcome: unknown;
}

/** What this client is told of requests that somebody else answered. */
function tellings(peer: JsonRpcPeer): Resolved[] {
  const told: Resolved[] = [];
  peer.onNotification('_sandboxagent/session/request_resolved', (params) => void told.push(params as Resolved));
  return told;
}

function requestIdOf(params: unknown): string {
  return (params as { _meta: { 'sandboxagent.dev': { requestId: string } } })._meta['sandboxagent.dev'].requestId;
}

function optionOf(result: unknown): string | undefined {
  return (result as { outcome?: { optionId?: string } } | null)?.outcome?.optionId;
}

function answerSaid(message: unknown): string[] {
  const { params } = message as { params?: { update?: { sessionUpdate?: string; content?: { text?: string } } } };
  if (params?.update?.sessionUpdate !== 'agent_message_chunk') return [];
  return [optionOf(JSON.parse(params.update.content?.text ?? 'null')) ?? 'none'];
}
