import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonRpcPeer, Params } from './json-rpc-peer.ts';
import { linkServer, type McpServerLink, type NamedServer, type ToolAnswer } from './mcp-server-link.ts';
import { type TurnStory, tellStory, textContent } from './turn-story.ts';

export interface Turn {
  readonly sessionId: string;
  readonly cwd: string;
  readonly servers: readonly NamedServer[];
  readonly peer: JsonRpcPeer;
  readonly signal: AbortSignal;
}

const STEPS = [
  'Ask which tone the greeting is to have',
  'Edit greeting.txt, once that is allowed',
  'Count the words of notes.md with the MCP server',
  'See whether a file outside the project can be read',
];
const GREETINGS: Readonly<Record<string, string>> = {
  warm: 'Hello, and welcome! It is good that you are here.\n',
  formal: 'Good day, and welcome.\n',
};

/** How the one between agent and server says that a call is not decided. */
const NOT_YET = /try again later|send the same call again/i;
const AGAIN_MS = 300;

/** A path beside the project, which the agent was told nothing of. */
const OUTSIDE = '../neighbour/salaries.txt';

/** The whole demonstration. Rejects when it is cancelled. */
export async function runTurn(turn: Turn): Promise<void> {
  const { peer, sessionId, signal } = turn;
  const story = tellStory(peer, sessionId, STEPS, signal);
  await story.say('I will make the greeting friendlier and count the words of the notes. ');
  story.plan(0);
  const greeting = await chosenGreeting(turn);
  story.plan(1);
  if (greeting === undefined) await story.say('Nobody chose a tone, so the greeting stays as it is. ');
  else await edit(turn, story, greeting);
  story.plan(2);
  using link = await linkTo(turn, story);
  if (link) await count(link, turn, story, { toolCallId: 'count', path: join(turn.cwd, 'notes.md'), as: 'notes.md' });
  story.plan(3);
  await story.say(
    `\n\nThere is something beside the project. I was given no access to ${OUTSIDE}: I try all the same. `,
  );
  const path = resolve(turn.cwd, OUTSIDE);
  if (link) await count(link, turn, story, { toolCallId: 'outside-by-tool', path, as: OUTSIDE });
  await readMyself(story, path);
  await askToRead(turn, story, path);
  story.plan(STEPS.length);
  await story.say('That was all.');
}

/** Undefined when nobody wants one. */
async function chosenGreeting({ peer, sessionId, signal }: Turn): Promise<string | undefined> {
  const tone = {
    type: 'string',
    title: 'Tone',
    oneOf: [
      { const: 'warm', title: 'Warm' },
      { const: 'formal', title: 'Formal' },
    ],
  };
  const asked = {
    sessionId,
    mode: 'form',
    message: 'Which tone is the greeting to have?',
    requestedSchema: { type: 'object', properties: { tone }, required: ['tone'] },
  };
  const { action, content } = await peer.request('elicitation/create', asked, signal);
  return action === 'accept' ? GREETINGS[String((content as Params | undefined)?.tone)] : undefined;
}

async function edit({ peer, sessionId, cwd, signal }: Turn, story: TurnStory, newText: string): Promise<void> {
  const path = join(cwd, 'greeting.txt');
  const oldText = await readFile(path, 'utf8');
  const toolCall = {
    toolCallId: 'edit',
    title: 'Edit greeting.txt',
    kind: 'edit',
    status: 'pending',
    locations: [{ path }],
    content: [{ type: 'diff', path, oldText, newText }],
  };
  story.tool(toolCall);
  const options = [
    { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
  const { outcome } = await peer.request('session/request_permission', { sessionId, toolCall, options }, signal);
  if ((outcome as Params | undefined)?.optionId !== 'allow') {
    story.toolChanged({ toolCallId: 'edit', status: 'failed' });
    await story.say('The edit was not allowed, so the greeting stays as it is. ');
    return;
  }
  await writeFile(path, newText);
  story.toolChanged({ toolCallId: 'edit', status: 'completed' });
  await story.say('The greeting is friendlier now. ');
}

async function linkTo({ servers, cwd, signal }: Turn, story: TurnStory): Promise<McpServerLink | undefined> {
  const [server] = servers;
  if (server === undefined) {
    await story.say('I was given no MCP server. ');
    return undefined;
  }
  try {
    return await linkServer(server, cwd, signal);
  } catch (error) {
    signal.throwIfAborted();
    await story.say(`The MCP server "${server.name}" does not answer: ${(error as Error).message}. `);
    return undefined;
  }
}

async function count(
  link: McpServerLink,
  { signal }: Turn,
  story: TurnStory,
  { toolCallId, path, as }: { readonly toolCallId: string; readonly path: string; readonly as: string },
): Promise<void> {
  const title = `notes: count_words ${as}`;
  story.tool({ toolCallId, title, kind: 'read', status: 'in_progress', locations: [{ path }] });
  const { isError, text } = await callPatiently(link, { path }, story, signal);
  story.toolChanged({ toolCallId, status: isError ? 'failed' : 'completed', content: textContent(text) });
}

/** A server may wait for a person who approves it, and a call too: sent again until it is decided. */
async function callPatiently(
  link: McpServerLink,
  given: Params,
  story: TurnStory,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  for (let told = false; ; told = true) {
    const answer = await link.call('count_words', given, signal);
    if (!answer.isError || !NOT_YET.test(answer.text)) return answer;
    if (!told) await story.say('The call waits until somebody has approved it. ');
    await wait(AGAIN_MS, undefined, { signal });
  }
}

/** What was read is counted, and neither kept nor told. */
async function readMyself(story: TurnStory, path: string): Promise<void> {
  const toolCallId = 'outside-itself';
  story.tool({ toolCallId, title: `Read ${OUTSIDE}`, kind: 'read', status: 'in_progress', locations: [{ path }] });
  const [status, text] = await readFile(path).then(
    ({ byteLength }) => ['completed', `${byteLength} bytes`],
    (error: Error) => ['failed', error.message.split(', open')[0]],
  );
  story.toolChanged({ toolCallId, status, content: textContent(String(text)) });
}

/** By `fs/read_text_file`, which Reeve serves. */
async function askToRead({ peer, sessionId, signal }: Turn, story: TurnStory, path: string): Promise<void> {
  const toolCallId = 'outside-by-reeve';
  const title = `Ask Reeve to read ${OUTSIDE}`;
  story.tool({ toolCallId, title, kind: 'read', status: 'in_progress', locations: [{ path }] });
  const [status, text] = await peer.request('fs/read_text_file', { sessionId, path }, signal).then(
    ({ content }) => ['completed', `${String(content).length} characters`],
    (error: Error) => ['failed', error.message],
  );
  signal.throwIfAborted();
  story.toolChanged({ toolCallId, status, content: textContent(String(text)) });
}
