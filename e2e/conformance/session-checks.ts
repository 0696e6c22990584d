import assert from 'node:assert/strict';
import type { JsonObject } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import { faultsOf } from '../acp-schema.ts';
import { answerIndex, type Cell, promptText, settled, updatesBetween } from './cell.ts';
import type { Check } from './check.ts';
import { failureOf } from './json-rpc-checks.ts';
import { ANSWER } from './subject.ts';

export const newSessionChecks: readonly Check[] = [
  {
    id: 'SESSION-001',
    level: 'M',
    holds: 'absolute cwd and `mcpServers: []` give a sessionId that is not empty',
    run: async ({ session }) => {
      const result = await session();
      assert.equal(faultsOf('NewSessionResponse', result), undefined);
      assert.notEqual(result.sessionId, '');
    },
  },
  {
    id: 'SESSION-002',
    level: 'M',
    holds: 'two calls give two',
    run: async ({ session, second }) => assert.notEqual((await session()).sessionId, (await second()).sessionId),
  },
  {
    id: 'ADDDIRS-001',
    level: 'C',
    holds: 'absolute additionalDirectories are accepted',
    applies: ({ initialized }) =>
      initialized.agentCapabilities.sessionCapabilities?.additionalDirectories !== undefined,
    run: async ({ second }) => assert.equal(faultsOf('NewSessionResponse', await second()), undefined),
  },
];

/** They expect a session with some turns behind it, and end it. */
export const lifecycleChecks: readonly Check[] = [
  {
    id: 'LOAD-001',
    level: 'C',
    holds: 'load succeeds',
    run: async (cell) => assert.equal(faultsOf('LoadSessionResponse', (await loaded(cell, 'live')).result), undefined),
  },
  {
    id: 'LOAD-002',
    level: 'C',
    holds: 'all replay comes before the response, none after',
    run: async (cell) => {
      const { replayed, after } = await loaded(cell, 'live');
      const asked = replayed.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk').map(textOf);
      assert.ok(asked.includes(cell.subject.prompts.plain));
      assert.ok(spoken(replayed).includes(ANSWER));
      assert.deepEqual(after, []);
    },
  },
  {
    id: 'LOAD-003',
    level: 'A',
    holds: 'the result is an object, not null',
    run: async (cell) => {
      const { result } = await loaded(cell, 'live');
      assert.ok(typeof result === 'object' && result !== null && !Array.isArray(result));
    },
  },
  {
    id: 'RESUME-001',
    level: 'C',
    holds: 'resume works without mcpServers',
    run: async (cell) => assert.equal(faultsOf('ResumeSessionResponse', (await resumed(cell)).result), undefined),
  },
  {
    id: 'RESUME-002',
    level: 'C',
    holds: 'no history before the response',
    run: async (cell) => assert.deepEqual((await resumed(cell)).before, []),
  },
  {
    id: 'LIST-001',
    level: 'C',
    holds: '`{}` gives an array',
    run: async ({ peer, session }) => {
      const result = await peer.request<{ sessions: { sessionId: string }[] }>('session/list', {});
      assert.equal(faultsOf('ListSessionsResponse', result), undefined);
      const { sessionId } = await session();
      assert.ok(result.sessions.some((listed) => listed.sessionId === sessionId));
    },
  },
  {
    id: 'LIST-002',
    level: 'C',
    holds: 'an unused cwd gives `[]`',
    run: async ({ peer }) => {
      const { sessions } = await peer.request('session/list', { cwd: '/usr/share/unused' });
      assert.deepEqual(sessions, []);
    },
  },
  {
    id: 'REEVE-LIST-003',
    level: 'M',
    holds: 'the pages of the list give every session once and come to an end; a bad cursor is -32602',
    run: async ({ peer, session, second }) => {
      const ids = await listedIds(peer);
      assert.equal(new Set(ids).size, ids.length);
      for (const { sessionId } of [await session(), await second()]) assert.ok(ids.includes(sessionId));
      for (const cursor of ['not ours', '', 'agent.!', 7, {}]) {
        assert.equal((await failureOf(peer.request('session/list', { cursor }))).code, -32602, JSON.stringify(cursor));
      }
    },
  },
  {
    id: 'CLOSE-002',
    level: 'C',
    holds: 'closing a running session answers its prompt with `cancelled`',
    run: async ({ peer, second, subject }) => {
      const { sessionId } = await second();
      const from = peer.log.length;
      const turn = promptText(peer, sessionId, subject.prompts.slow);
      const begins = ({ params }: JsonObject): boolean => spoken([Object(Object(params).update)]) !== '';
      await peer.waitFor(begins, { from });
      assert.equal(faultsOf('CloseSessionResponse', await peer.request('session/close', { sessionId })), undefined);
      assert.equal((await turn).stopReason, 'cancelled');
    },
  },
  {
    id: 'CLOSE-001',
    level: 'C',
    holds: 'close works for an idle session',
    run: async ({ peer, session }) => {
      const { sessionId } = await session();
      assert.equal(faultsOf('CloseSessionResponse', await peer.request('session/close', { sessionId })), undefined);
    },
  },
  {
    id: 'REEVE-LOAD-004',
    level: 'C',
    holds: 'a session whose agent process is gone is loaded alike: nothing of its history comes after the response',
    run: async (cell) => {
      const { result, replayed, after } = await loaded(cell, 'closed');
      assert.equal(faultsOf('LoadSessionResponse', result), undefined);
      assert.ok(spoken(replayed).includes(ANSWER));
      // A new process tells its commands when it likes. That is news and no replay: it is not held back.
      assert.deepEqual(
        after.filter(({ sessionUpdate }) => sessionUpdate !== 'available_commands_update'),
        [],
      );
    },
  },
  {
    id: 'DELETE-001',
    level: 'C',
    holds: 'delete works for a session of this connection',
    run: async ({ peer, session, second }) => {
      for (const { sessionId } of [await session(), await second()]) {
        assert.equal(faultsOf('DeleteSessionResponse', await peer.request('session/delete', { sessionId })), undefined);
        assert.ok(!(await listedIds(peer)).includes(sessionId));
      }
    },
  },
  {
    id: 'DELETE-002',
    level: 'A',
    holds: 'an unknown or deleted id succeeds',
    run: async ({ peer, session }) => {
      for (const sessionId of [(await session()).sessionId, 'nobody']) {
        assert.equal(faultsOf('DeleteSessionResponse', await peer.request('session/delete', { sessionId })), undefined);
      }
    },
  },
];

interface Loaded {
  readonly result: unknown;
  readonly replayed: readonly JsonObject[];
  readonly after: readonly JsonObject[];
}

/** Loads the cell's session on a connection of its own. */
function loaded(cell: Cell, state: 'live' | 'closed'): Promise<Loaded> {
  return cell.once(`loaded ${state}`, async () => {
    const { sessionId } = await cell.session();
    const peer = await cell.connect();
    const result = await peer.request<unknown>('session/load', { sessionId, cwd: cell.subject.cwd, mcpServers: [] });
    await settled();
    const answer = answerIndex(peer, 'session/load');
    const replayed = updatesBetween(peer, sessionId, 0, answer);
    return { result, replayed, after: updatesBetween(peer, sessionId, answer) };
  });
}

function resumed(cell: Cell): Promise<{ readonly result: unknown; readonly before: readonly JsonObject[] }> {
  return cell.once('resumed', async () => {
    const { sessionId } = await cell.session();
    const peer = await cell.connect();
    const result = await peer.request<unknown>('session/resume', { sessionId, cwd: cell.subject.cwd });
    return { result, before: updatesBetween(peer, sessionId, 0, answerIndex(peer, 'session/resume')) };
  });
}

/** The ids of every page of the list. */
async function listedIds(peer: JsonRpcPeer): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 100; pages += 1) {
    const page: { sessions: { sessionId: string }[]; nextCursor?: string } = await peer.request(
      'session/list',
      cursor === undefined ? {} : { cursor },
    );
    ids.push(...page.sessions.map(({ sessionId }) => sessionId));
    if (page.nextCursor == null) return ids;
    cursor = page.nextCursor;
  }
  throw new Error('the list does not end');
}

function spoken(updates: readonly JsonObject[]): string {
  return updates
    .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    .map(textOf)
    .join('');
}

function textOf({ content }: JsonObject): string {
  return String(Object(content).text ?? '');
}
