import assert from 'node:assert/strict';
import type { JsonObject } from '@reeve/protocol';
import { faultsOf } from '../acp-schema.ts';
import { answerIndex, type Cell, promptText, settled, updatesBetween } from './cell.ts';
import type { Check } from './check.ts';
import { ANSWER } from './subject.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const promptChecks: readonly Check[] = [
  {
    id: 'PROMPT-001',
    level: 'M',
    holds: 'a text prompt ends with a defined stopReason',
    run: async (cell) => {
      const { result, text } = await plainTurn(cell);
      assert.equal(faultsOf('PromptResponse', result), undefined);
      assert.equal(result.stopReason, 'end_turn');
      assert.ok(text.includes(ANSWER), text);
    },
  },
  {
    id: 'PROMPT-002',
    level: 'M',
    holds: 'its updates are valid, with the right sessionId',
    run: async (cell) => {
      const { came } = await plainTurn(cell);
      const [{ sessionId }, other] = [await cell.session(), await cell.second()];
      const spoken = came.filter(({ update }) => Object(update).sessionUpdate === 'agent_message_chunk');
      assert.ok(spoken.length > 0);
      for (const params of spoken) assert.equal(params.sessionId, sessionId);
      for (const params of came) {
        assert.equal(faultsOf('SessionNotification', params), undefined);
        assert.ok([sessionId, other.sessionId].includes(String(params.sessionId)));
      }
    },
  },
  {
    id: 'PROMPT-003',
    level: 'A',
    holds: 'resource_link is accepted',
    run: (cell) => accepts(cell, { type: 'resource_link', uri: 'file:///usr/none.txt', name: 'none.txt' }),
  },
  {
    id: 'PROMPTCAP-001',
    level: 'C',
    holds: 'an image is accepted',
    applies: advertises('image'),
    run: (cell) => accepts(cell, { type: 'image', mimeType: 'image/png', data: PIXEL }),
  },
  {
    id: 'PROMPTCAP-002',
    level: 'C',
    holds: 'audio is accepted',
    applies: advertises('audio'),
    run: (cell) => accepts(cell, { type: 'audio', mimeType: 'audio/wav', data: SILENCE }),
  },
  {
    id: 'PROMPTCAP-003',
    level: 'C',
    holds: 'an embedded resource is accepted',
    applies: advertises('embeddedContext'),
    run: (cell) => {
      const resource = { uri: 'file:///usr/note.txt', mimeType: 'text/plain', text: 'a note' };
      return accepts(cell, { type: 'resource', resource });
    },
  },
  {
    id: 'CANCEL-001',
    level: 'M',
    holds: 'cancel in flight: result `cancelled`, no error',
    run: async (cell) => {
      const { result } = await cancelledTurn(cell);
      assert.equal(result.stopReason, 'cancelled');
    },
  },
  {
    id: 'CANCEL-002',
    level: 'M',
    holds: 'its updates come before the answer, none after',
    run: async (cell) => assert.deepEqual((await cancelledTurn(cell)).after, []),
  },
];

interface PlainTurn {
  readonly result: JsonObject;
  readonly came: readonly JsonObject[];
  readonly text: string;
}

function plainTurn(cell: Cell): Promise<PlainTurn> {
  return cell.once('plain turn', async () => {
    const { peer, subject } = cell;
    const { sessionId } = await cell.session();
    const [before, said] = [peer.notifications('session/update').length, peer.agentTexts(sessionId).length];
    const result = await promptText(peer, sessionId, subject.prompts.plain);
    const came = peer.notifications('session/update').slice(before);
    return { result, came, text: peer.agentTexts(sessionId).slice(said).join('') };
  });
}

interface CancelledTurn {
  readonly result: JsonObject;
  /** Updates that came behind the answer. */
  readonly after: readonly JsonObject[];
}

function cancelledTurn(cell: Cell): Promise<CancelledTurn> {
  return cell.once('cancelled turn', async () => {
    const { peer, subject } = cell;
    const { sessionId } = await cell.session();
    await settled();
    const from = peer.log.length;
    const turn = promptText(peer, sessionId, subject.prompts.slow);
    const begins = ({ method, params }: JsonObject): boolean =>
      method === 'session/update' && JSON.stringify(params).includes('"agent_message_chunk"');
    await peer.waitFor(begins, { from });
    peer.notify('session/cancel', { sessionId });
    const result = await turn;
    await settled();
    return { result, after: updatesBetween(peer, sessionId, answerIndex(peer, 'session/prompt')) };
  });
}

function advertises(capability: string): (cell: Cell) => boolean {
  return ({ initialized }) => initialized.agentCapabilities.promptCapabilities?.[capability] === true;
}

async function accepts({ peer, subject, session }: Cell, block: JsonObject): Promise<void> {
  const { sessionId } = await session();
  const prompt = [block, { type: 'text', text: subject.prompts.plain }];
  const result = await peer.request('session/prompt', { sessionId, prompt });
  assert.equal(faultsOf('PromptResponse', result), undefined);
  assert.equal(result.stopReason, 'end_turn');
}
