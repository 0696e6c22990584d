import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  type ChatCompletionRequest,
  createServer,
  type Fixture,
  type FixtureResponse,
  handleResponses,
  type Mountable,
} from '@copilotkit/aimock';
import { answerOf, type ModelAnswer, type ModelRequest, type ModelRule } from './model-script.ts';
import { flattenNamespaces, type NamespacedName, restoreNamespaces } from './responses-namespaces.ts';

/**
 * A model that says what a test scripted, for agents that run offline: OpenAI Chat (`/v1/chat/completions`), OpenAI
 * Responses (`/v1/responses`) and Anthropic (`/v1/messages`), in this process, on loopback.
 * Disposing cuts the streams under way.
 */
export interface ModelEndpoint extends AsyncDisposable {
  /** Origin without a path or a trailing slash. */
  readonly url: string;
  /** Every request so far, oldest first. Live. */
  readonly requests: readonly ModelRequest[];
  /** Replaces the rules; the first that answers wins. */
  script(...rules: readonly ModelRule[]): void;
}

const SLOW_CHUNK_DELAY_MS = 50;
const SLOW_CHUNK_LENGTH = 6;
const CHUNK_LENGTH = 8;

export async function startModelEndpoint(): Promise<ModelEndpoint> {
  const requests: ModelRequest[] = [];
  const answers = new WeakMap<ChatCompletionRequest, ModelAnswer>();
  let rules: readonly ModelRule[] = [];

  function answerTo(body: ChatCompletionRequest): ModelAnswer {
    const known = answers.get(body);
    if (known !== undefined) return known;
    const request = readRequest(body);
    requests.push(request);
    const answer = answerOf(rules, request);
    answers.set(body, answer);
    return answer;
  }

  const slow: Fixture = {
    match: { predicate: (body) => answerTo(body).kind === 'slow-text' },
    response: (body) => responseOf(answerTo(body)),
    latency: SLOW_CHUNK_DELAY_MS,
    chunkSize: SLOW_CHUNK_LENGTH,
  };
  const prompt: Fixture = {
    match: { predicate: () => true },
    response: (body) => responseOf(answerTo(body)),
    chunkSize: CHUNK_LENGTH,
  };
  const fixtures = [slow, prompt];
  const responses: Mountable = {
    handleRequest: async (request, response) => {
      if (request.method !== 'POST') return false;
      const { body, names } = flattenNamespaces(await text(request));
      rewriteEvents(response, names);
      await handleResponses(request, response, body, fixtures, instance.journal, instance.defaults, () => {});
      return true;
    },
  };
  const instance = await createServer(fixtures, { host: '127.0.0.1', port: 0, logLevel: 'silent' }, [
    { path: '/v1/responses', handler: responses },
  ]);
  const { server, url } = instance;
  server.on('request', (_request, response) => response.on('close', () => endStream(response)));

  let closing: Promise<void> | undefined;
  return {
    url,
    requests,
    script: (...next) => {
      rules = next;
    },
    [Symbol.asyncDispose]: () => {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

/** Tells the writer of a stream whose reader has gone that it is over: it would go on to its last chunk. */
function endStream(response: ServerResponse): void {
  if (!response.writableEnded) response.end();
}

/** Each event of the stream comes as one write. */
function rewriteEvents(response: ServerResponse, names: ReadonlyMap<string, NamespacedName>): void {
  if (names.size === 0) return;
  const write = response.write.bind(response);
  response.write = (chunk: unknown) => write(restoreNamespaces(String(chunk), names));
}

function responseOf(answer: ModelAnswer): FixtureResponse {
  switch (answer.kind) {
    case 'text':
    case 'slow-text':
      return { content: answer.text };
    case 'tool-call':
      return { toolCalls: [{ name: answer.call.name, arguments: JSON.stringify(answer.call.arguments) }] };
    case 'error':
      return { error: { message: answer.message, type: 'scripted_error' }, status: answer.status };
  }
}

function readRequest(body: ChatCompletionRequest): ModelRequest {
  const tools = (body.tools ?? []).map(({ function: tool }) => ({
    name: tool.name,
    description: tool.description ?? '',
    schema: tool.parameters ?? {},
  }));
  const spoken = body.messages.map((message) => ({ role: message.role, text: spokenText(message.content) }));
  const last = spoken.findLastIndex(({ role, text }) => role === 'user' && text !== '');
  const { text: userText, isAfterInterruption } = afterInterruption(spoken[last]?.text ?? '');
  const since = spoken.slice(last + 1);
  const ownStart = isAfterInterruption ? since.findIndex(({ role }) => role === 'assistant') : 0;
  const own = ownStart === -1 ? [] : since.slice(ownStart);
  return {
    model: body.model,
    userText,
    toolResults: own.flatMap(({ role, text }) => (role === 'tool' ? [text] : [])),
    conversation: spoken,
    tools,
    isSide: tools.length === 0,
  };
}

/**
 * Claude joins what a cancelled turn left behind with the next prompt: the earlier prompt, this mark and the new one
 * are one message, and the results of interrupted tool calls come with it.
 */
function afterInterruption(text: string): { text: string; isAfterInterruption: boolean } {
  const parts = text.split(/\[Request interrupted by user(?: for tool use)?\]/);
  return { text: (parts.at(-1) ?? '').trim(), isAfterInterruption: parts.length > 1 };
}

type Content = ChatCompletionRequest['messages'][number]['content'];

const WRAPPINGS = /<(system-reminder|environment_context|user_instructions|INSTRUCTIONS)>.*?<\/\1>/gs;

function spokenText(content: Content): string {
  const text = typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
  return text.replaceAll(WRAPPINGS, '').trim();
}
