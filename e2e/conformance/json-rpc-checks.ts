import assert from 'node:assert/strict';
import { JsonRpcFailure, type JsonRpcId, type JsonRpcPeer } from '@reeve/testkit';
import { faultsOf } from '../acp-schema.ts';
import { type Cell, promptText } from './cell.ts';
import type { Check } from './check.ts';

const IDS: readonly JsonRpcId[] = [7001, 'a-string', 0, -3, '7001', 'ü "quoted"', 4_294_967_296];

export const jsonRpcChecks: readonly Check[] = [
  {
    id: 'JSONRPC-001',
    level: 'M',
    holds: "the response's id is the request's, integer or string",
    run: async ({ peer, session }) => {
      const { sessionId } = await session();
      for (const id of IDS) {
        await peer.request('session/list', {}, { id });
        assert.ok(answered(peer, id));
        await failureOf(peer.request('_vendor/unknown', { sessionId }, { id: `${id}-agent` }));
        assert.ok(answered(peer, `${id}-agent`));
      }
    },
  },
  {
    id: 'JSONRPC-002',
    level: 'M',
    holds: 'exactly one of result and error; integer code, string message',
    run: async ({ peer, session }) => {
      const { sessionId } = await session();
      await failureOf(peer.request('session/load', {}));
      await failureOf(peer.request('session/new', { cwd: 'relative', mcpServers: [] }));
      await failureOf(peer.request('session/set_mode', { sessionId, modeId: 'none such' }));
      const answers = incoming(peer).filter(({ message }) => message !== undefined && message.method === undefined);
      assert.ok(answers.some(({ message }) => message?.error !== undefined));
      for (const { message = {}, raw } of answers) {
        assert.equal('result' in message, !('error' in message), raw);
        if ('error' in message) assert.equal(faultsOf('Error', message.error), undefined);
      }
    },
  },
  {
    id: 'JSONRPC-003',
    level: 'M',
    holds: 'a notification is never answered',
    run: async ({ peer, session }) => {
      const { sessionId } = await session();
      const before = peer.log.length;
      peer.notify('session/list', {});
      peer.notify('no/such', {});
      peer.notify('_vendor/unknown', { sessionId });
      peer.notify('_sandboxagent/unknown', { sessionId });
      peer.notify('session/cancel', { sessionId: 'nobody' });
      peer.notify('session/set_mode', { sessionId, modeId: 'none such' });
      await peer.request('session/list', {});
      const came = peer.log.slice(before).filter(({ direction, message }) => direction === 'in' && isAnswer(message));
      assert.equal(came.length, 1, came.map(({ raw }) => raw).join('\n'));
    },
  },
  {
    id: 'JSONRPC-004',
    level: 'A',
    holds: 'unknown method: -32601',
    run: async ({ peer, session }) => {
      const { sessionId } = await session();
      assert.equal((await failureOf(peer.request('no/such', {}))).code, -32601);
      assert.equal((await failureOf(peer.request('session/no_such', { sessionId }))).code, -32601);
    },
  },
  {
    id: 'JSONRPC-005',
    level: 'A',
    holds: 'after an error the connection works on',
    run: async (cell) => {
      const { sessionId } = await cell.session();
      await failureOf(cell.peer.request('session/load', { sessionId: 5 }));
      const { stopReason } = await promptText(cell.peer, sessionId, cell.subject.prompts.plain);
      assert.equal(stopReason, 'end_turn');
    },
  },
  {
    id: 'REEVE-EXT-001',
    level: 'M',
    holds: 'an unknown `_` method: -32601 where the name is of ours, else whatever the agent answers',
    run: async ({ peer, session }) => {
      const { sessionId } = await session();
      for (const params of [{}, { sessionId }]) {
        const { code, data } = await failureOf(peer.request('_sandboxagent/unknown', params));
        assert.deepEqual({ code, data }, { code: -32601, data: { ...Object(data), method: '_sandboxagent/unknown' } });
        assert.equal((await failureOf(peer.request('_vendor/unknown', params))).code, -32601);
      }
    },
  },
];

/** It looks back at all that the cell's connections have been asked. */
export const capabilityCheck: Check = {
  id: 'REEVE-CAPS-001',
  level: 'M',
  holds: 'what the client did not announce (files, terminals, elicitation, questions) is never asked of it',
  run: async (cell) => {
    const { sessionId } = await cell.session();
    const { stopReason } = await promptText(cell.peer, sessionId, cell.subject.prompts.edit);
    assert.equal(stopReason, 'end_turn');
    const asked = everything(cell).flatMap(({ message }) =>
      message?.id !== undefined && typeof message.method === 'string' ? [message.method] : [],
    );
    assert.deepEqual([...new Set(asked)], ['session/request_permission']);
  },
};

/** These look back at all that the cell's connections have seen: they come last. */
export const transportChecks: readonly Check[] = [
  {
    id: 'TRANSPORT-001',
    level: 'M',
    holds: 'each line, frame or event is one JSON-RPC 2.0 message',
    run: async (cell) => {
      const all = everything(cell);
      assert.ok(all.length > 30);
      for (const { raw, message } of all) {
        assert.equal(message?.jsonrpc, '2.0', raw);
        assert.ok(!/[\n\r]/.test(raw), raw);
      }
      assert.deepEqual(
        cell.wires.flatMap(({ refusals }) => refusals),
        [],
      );
    },
  },
  {
    id: 'TRANSPORT-002',
    level: 'M',
    holds: 'it is UTF-8',
    run: async (cell) => {
      const texts = everything(cell).map(({ raw }) => raw);
      assert.deepEqual(
        texts.filter((raw) => raw.includes('\uFFFD') || !raw.isWellFormed()),
        [],
      );
      assert.ok(texts.some((raw) => Buffer.byteLength(raw) > raw.length));
    },
  },
];

export function incoming({ log }: JsonRpcPeer): JsonRpcPeer['log'] {
  return log.filter(({ direction }) => direction === 'in');
}

/** The error that a request is answered with. */
export async function failureOf(answer: Promise<unknown>): Promise<JsonRpcFailure> {
  const result = await answer.catch((error: unknown) => error);
  if (result instanceof JsonRpcFailure) return result;
  throw result instanceof Error ? result : new Error(`no error but ${JSON.stringify(result)}`);
}

function everything({ wires }: Cell): JsonRpcPeer['log'] {
  return wires.flatMap(({ peer }) => incoming(peer));
}

function answered(peer: JsonRpcPeer, id: JsonRpcId): boolean {
  return incoming(peer).some(({ message }) => isAnswer(message) && message?.id === id);
}

function isAnswer(message: Readonly<Record<string, unknown>> | undefined): boolean {
  return message !== undefined && message.method === undefined;
}
