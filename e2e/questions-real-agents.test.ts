import { connectWebSocket, type JsonRpcPeer, type ModelRule } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callControl } from './control-calls.ts';
import { openRealAgentLab, type RealAgentLab } from './real-agent-lab.ts';

const KEY = 'sandboxagent.dev';
const ASK = '_sandboxagent/session/request_question';
const options = [
  { label: 'Tabs', description: 'one each' },
  { label: 'Spaces', description: 'two each' },
];
const asked = { question: 'Tabs or spaces?', header: 'Indent', multiSelect: false, options };

/** Has Claude ask with its own tool, then says what came back. */
const askThenTell: ModelRule = ({ userText, toolResults, tools }) => {
  if (!userText.includes('ask me')) return undefined;
  if (toolResults.length > 0) return { kind: 'text', text: `Came back: ${toolResults.join(' ')}` };
  if (!tools.some(({ name }) => name === 'AskUserQuestion')) return { kind: 'text', text: 'There is no tool to ask.' };
  return { kind: 'tool-call', call: { name: 'AskUserQuestion', arguments: { questions: [asked] } } };
};

describe('a question of Claude', () => {
  let lab: RealAgentLab;
  beforeAll(async () => {
    lab = await openRealAgentLab('claude');
    lab.model.script(askThenTell);
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  async function connect(clientCapabilities: object): Promise<JsonRpcPeer> {
    const peer = await connectWebSocket(`${lab.reeve.url}/acp`, { token: lab.reeve.token });
    await peer.request('initialize', { protocolVersion: 1, clientCapabilities });
    return peer;
  }
  async function ask(peer: JsonRpcPeer): Promise<{ sessionId: string; turn: Promise<unknown> }> {
    const { sessionId } = await peer.request<{ sessionId: string }>('session/new', { cwd: lab.cwd, mcpServers: [] });
    const prompt = [{ type: 'text', text: 'Please ask me' }];
    return { sessionId, turn: peer.request('session/prompt', { sessionId, prompt }) };
  }

  it('reaches a client that only knows questions, and Claude gets the answer', async () => {
    await using peer = await connect({ _meta: { [KEY]: { requestQuestion: true } } });
    const shown: unknown[] = [];
    peer.onRequest(ASK, (params) => {
      shown.push(params);
      return { outcome: 'answered', answers: [{ optionId: 'Spaces' }] };
    });
    const { sessionId, turn } = await ask(peer);
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(shown).toMatchObject([
      {
        sessionId,
        prompt: 'Tabs or spaces?\nIndent',
        options: options.map(({ label, description }) => ({ id: label, label, description })),
        multiSelect: false,
        freeText: true,
      },
    ]);
    expect(peer.agentTexts(sessionId).join('')).toMatch(/Came back: .*Spaces/);
  });

  it('is answered over HTTP in words of one’s own when the client leaves it open', async () => {
    await using peer = await connect({ elicitation: { form: {} } });
    peer.onRequest('elicitation/create', () => new Promise(() => {}));
    const { sessionId, turn } = await ask(peer);
    let found: { id: string; question?: unknown }[] = [];
    const look = async (): Promise<number> => {
      const page = await callControl(lab.reeve, `/requests?session=${sessionId}`);
      found = (page as { requests: { id: string }[] }).requests;
      return found.length;
    };
    await expect.poll(look).toBe(1);
    expect(found[0]?.question).toMatchObject({ options: [{ id: 'Tabs' }, { id: 'Spaces' }], freeText: true });
    const body = JSON.stringify({ answers: [{ text: 'neither of them' }] });
    await callControl(lab.reeve, `/requests/${found[0]?.id}/answer`, { method: 'POST', body });
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(peer.agentTexts(sessionId).join('')).toMatch(/Came back: .*neither of them/);
  });
});
