import { setTimeout as wait } from 'node:timers/promises';
import {
  type CallToolResult,
  type ContentBlock,
  ProtocolError,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';

/** One dot. */
const IMAGE = {
  type: 'image',
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
} as const;
const AUDIO = {
  type: 'audio',
  mimeType: 'audio/wav',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
} as const;
const CHOICES = ['option1', 'option2', 'option3'];
const TITLED = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }));
const INVALID_PARAMS = -32602;

const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const embedded = (uri: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: 'An embedded resource.' },
});
const form = (properties: object, required: readonly string[] = []) =>
  ({ type: 'object', properties, required: [...required] }) as never;

type Act = (
  given: Readonly<Record<string, string>>,
  ctx: ServerContext,
) => readonly ContentBlock[] | Promise<readonly ContentBlock[]>;

/** The tools that the server scenarios of the suite call, by what the suite's own descriptions say of each. */
const ACTS: Readonly<Record<string, Act>> = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [IMAGE],
  test_audio_content: () => [AUDIO],
  test_embedded_resource: () => [embedded('test://embedded-resource')],
  test_multiple_content_types: () => [text('Several kinds:'), IMAGE, embedded('test://mixed-content-resource')],
  async test_tool_with_logging(_, { mcpReq }) {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', words);
      await wait(50);
    }
    return [text('logged')];
  },
  async test_tool_with_progress(_, { mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await wait(50);
    }
    return [text('done')];
  },
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  async test_sampling({ prompt = '' }, { mcpReq }) {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }];
    const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
    return [text(`LLM response: ${JSON.stringify(content)}`)];
  },
  async test_elicitation({ message = '' }, { mcpReq }) {
    const name = { type: 'string' };
    const requestedSchema = form({ username: name, email: name }, ['username', 'email']);
    return [text(`User response: ${JSON.stringify(await mcpReq.elicitInput({ message, requestedSchema }))}`)];
  },
  async test_elicitation_sep1034_defaults(_, { mcpReq }) {
    const requestedSchema = form({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    });
    const answer = await mcpReq.elicitInput({ message: 'With defaults', requestedSchema });
    return [text(`Elicitation completed: ${JSON.stringify(answer)}`)];
  },
  async test_elicitation_sep1330_enums(_, { mcpReq }) {
    const requestedSchema = form({
      untitledSingle: { type: 'string', enum: CHOICES },
      titledSingle: { type: 'string', oneOf: TITLED },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: CHOICES } },
      titledMulti: { type: 'array', items: { anyOf: TITLED } },
    });
    const answer = await mcpReq.elicitInput({ message: 'With choices', requestedSchema });
    return [text(`Elicitation completed: ${JSON.stringify(answer)}`)];
  },
};

const TOOLS: Tool[] = [
  ...Object.keys(ACTS).map(
    (name): Tool => ({ name, description: `The tool ${name}`, inputSchema: { type: 'object' } }),
  ),
  {
    name: 'json_schema_2020_12_tool',
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
  },
];
const RESOURCES = [
  { uri: 'test://static-text', name: 'text', description: 'a text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'binary', description: 'an image', mimeType: 'image/png' },
];
const TEMPLATE = { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'by id' };

const PROMPTS: Readonly<
  Record<
    string,
    {
      readonly wants: readonly string[];
      readonly content: (given: Readonly<Record<string, string>>) => readonly ContentBlock[];
    }
  >
> = {
  test_simple_prompt: { wants: [], content: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    wants: ['arg1', 'arg2'],
    content: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    wants: ['resourceUri'],
    content: ({ resourceUri = '' }) => [embedded(resourceUri), text('Please process the embedded resource above.')],
  },
  test_prompt_with_image: { wants: [], content: () => [IMAGE, text('Please analyze the image above.')] },
};

/** A server with all that the server scenarios of the suite ask for. */
export function createSuiteServer(): Server {
  const server = new Server(
    { name: 'reeve-suite-server', version: '1.0.0' },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} } },
  );
  server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
  server.setRequestHandler('tools/call', async ({ params }, ctx): Promise<CallToolResult> => {
    const act = Object.hasOwn(ACTS, params.name) ? ACTS[params.name] : undefined;
    if (act === undefined) throw new ProtocolError(INVALID_PARAMS, `there is no tool ${params.name}`);
    try {
      return { content: [...(await act((params.arguments ?? {}) as Record<string, string>, ctx))] };
    } catch (error) {
      return { isError: true, content: [text((error as Error).message)] };
    }
  });
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [readResource(uri)] }));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { wants }]) => ({
      name,
      description: `The prompt ${name}`,
      arguments: wants.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = PROMPTS[params.name];
    if (prompt === undefined) throw new ProtocolError(INVALID_PARAMS, `there is no prompt ${params.name}`);
    return { messages: prompt.content(params.arguments ?? {}).map((content) => ({ role: 'user' as const, content })) };
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return server;
}

function readResource(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) };
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: IMAGE.data };
  if (uri === 'test://static-text') return { uri, mimeType: 'text/plain', text: 'A static text.' };
  throw new ProtocolError(INVALID_PARAMS, `there is no resource ${uri}`);
}
