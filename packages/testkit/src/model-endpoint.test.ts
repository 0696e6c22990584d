import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelEndpoint, startModelEndpoint } from './model-endpoint.ts';
import { callMcpToolThenSay, failModel, runCommandThenSay, saySlowly, sayText } from './model-script.ts';

/** How each API puts a prompt, a shell tool and a tool result. */
const apis = [
  {
    api: 'Chat',
    path: '/v1/chat/completions',
    body: (messages: readonly Message[]) => ({
      messages: messages.map(({ role, text }) => ({
        role,
        content: text,
        ...(role === 'tool' && { tool_call_id: '1' }),
      })),
      tools: [{ type: 'function', function: { name: 'bash', parameters: commandSchema } }],
    }),
  },
  {
    api: 'Responses',
    path: '/v1/responses',
    body: (messages: readonly Message[]) => ({
      input: messages.map(({ role, text }) =>
        role === 'tool'
          ? { type: 'function_call_output', call_id: '1', output: text }
          : { type: 'message', role, content: [{ type: 'input_text', text }] },
      ),
      tools: [{ type: 'function', name: 'bash', parameters: commandSchema }],
    }),
  },
  {
    api: 'Anthropic',
    path: '/v1/messages',
    body: (messages: readonly Message[]) => ({
      max_tokens: 10,
      messages: messages.map(({ role, text }) =>
        role === 'tool'
          ? { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: text }] }
          : { role, content: text },
      ),
      tools: [{ name: 'bash', input_schema: commandSchema }],
    }),
  },
] as const;

const commandSchema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };

interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
}

let model: ModelEndpoint;

beforeEach(async () => {
  model = await startModelEndpoint();
});

afterEach(async () => {
  await model[Symbol.asyncDispose]();
});

async function ask(path: string, body: object): Promise<Response> {
  return fetch(model.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'dummy', authorization: 'Bearer dummy' },
    body: JSON.stringify({ model: 'mock', stream: true, ...body }),
  });
}

describe.each(apis)('a scripted model over $api', ({ path, body }) => {
  it('streams text in several chunks', async () => {
    model.script(sayText('greet', 'Hello from the scripted model.'));
    const stream = await (await ask(path, body([{ role: 'user', text: 'greet me' }]))).text();
    expect(stream).toContain('"Hello fr');
    expect(stream).toContain('om the s');
  });

  it('calls the offered tool, then speaks once its result is there', async () => {
    model.script(runCommandThenSay('run it', 'ls', 'Done.'));
    const prompt: Message = { role: 'user', text: 'run it' };
    const first = await (await ask(path, body([prompt]))).text();
    expect(first).toContain('"name":"bash"');
    const second = await (await ask(path, body([prompt, { role: 'tool', text: 'a b c' }]))).text();
    expect(second).toContain('Done.');
    expect(model.requests.map(({ toolResults }) => toolResults)).toEqual([[], ['a b c']]);
  });

  it('fails as told', async () => {
    model.script(failModel('break', 503, 'overloaded'));
    expect((await ask(path, body([{ role: 'user', text: 'break' }]))).status).toBe(503);
  });
});

describe('the endpoint', () => {
  it('reads the prompt without what the agent wraps around it', async () => {
    await ask('/v1/messages', {
      max_tokens: 10,
      messages: [{ role: 'user', content: '<system-reminder>be kind</system-reminder>\ngreet me' }],
    });
    expect(model.requests[0]).toMatchObject({ userText: 'greet me', isSide: true });
  });

  it('takes the results of an interrupted turn for no part of the next one', async () => {
    const interrupted = [
      { type: 'tool_result', tool_use_id: '1', content: 'refused' },
      { type: 'text', text: '[Request interrupted by user for tool use]' },
      { type: 'text', text: 'go on' },
    ];
    await ask('/v1/messages', { max_tokens: 10, messages: [{ role: 'user', content: interrupted }] });
    expect(model.requests[0]).toMatchObject({ userText: 'go on', toolResults: [] });
  });

  it('calls a tool that is offered in a namespace by both its names', async () => {
    model.script(callMcpToolThenSay('read', 'read_note', { name: 'x' }, 'Read.'));
    const tools = [{ type: 'namespace', name: 'mcp__notes', tools: [{ type: 'function', name: 'read_note' }] }];
    const stream = await (await ask('/v1/responses', { input: 'read it', tools })).text();
    expect(stream).toContain('"name":"read_note"');
    expect(stream).toContain('"namespace":"mcp__notes"');
  });

  it('is disposed of at once, and again, though a slow answer is under way', async () => {
    model.script(saySlowly('slowly', 'word '.repeat(2_000)));
    const tools = [{ type: 'function', function: { name: 'bash' } }];
    const response = await ask('/v1/chat/completions', { messages: [{ role: 'user', content: 'slowly' }], tools });
    const startedAt = performance.now();
    await model[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await expect(response.text()).rejects.toThrow();
  });
});
