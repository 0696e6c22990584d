import { commandCall, mcpToolCall, type OfferedTool, type ToolCall, writeFileCall } from './offered-tool.ts';

/** One request of an agent to its model, in the same shape for every model API. */
export interface ModelRequest {
  readonly model: string;
  /** The last thing the user said, without what agents wrap around it (reminders, environment descriptions). */
  readonly userText: string;
  /** The texts of the tool results that came after it. */
  readonly toolResults: readonly string[];
  /** All that the model is told was said, oldest first, cleaned in the same way; the agent's own instructions too. */
  readonly conversation: readonly { readonly role: string; readonly text: string }[];
  readonly tools: readonly OfferedTool[];
  /** A request beside the turn, such as for a title: it offers no tool. */
  readonly isSide: boolean;
}

export type ModelAnswer =
  | { readonly kind: 'text'; readonly text: string }
  /** Text that streams slowly, in many chunks: can be cancelled half-way. */
  | { readonly kind: 'slow-text'; readonly text: string }
  | { readonly kind: 'tool-call'; readonly call: ToolCall }
  /** The API's own error, as an overloaded provider gives it. Agents retry on 429 and 5xx. */
  | { readonly kind: 'error'; readonly status: number; readonly message: string };

/** Answers the requests it applies to; undefined leaves the request to the next rule. Must be pure. */
export type ModelRule = (request: ModelRequest) => ModelAnswer | undefined;

/** What the endpoint says when no rule answers, and to side requests. */
export const DEFAULT_TEXT = 'Scripted answer.';

/** Says `text` to each prompt that contains `phrase`. */
export function sayText(phrase: string, text: string): ModelRule {
  return onPrompt(phrase, () => ({ kind: 'text', text }));
}

/** Says `text` a word at a time for as long as it lasts, some 20 words a second. */
export function saySlowly(phrase: string, text: string): ModelRule {
  return onPrompt(phrase, () => ({ kind: 'slow-text', text }));
}

/** Fails each model call of the turn. */
export function failModel(phrase: string, status: number, message: string): ModelRule {
  return onPrompt(phrase, () => ({ kind: 'error', status, message }));
}

/** Writes a new file with the agent's own tool, then says `text`, whatever the tool answered. */
export function writeFileThenSay(phrase: string, file: NewFile, text: string): ModelRule {
  return callThenSay(phrase, ({ tools }) => writeFileCall(tools, file.path, file.content), text);
}

export interface NewFile {
  /** Absolute. */
  readonly path: string;
  readonly content: string;
}

/** Runs `command` with the agent's own shell tool, then says `text`, whatever the tool answered. */
export function runCommandThenSay(phrase: string, command: string, text: string): ModelRule {
  return callThenSay(phrase, ({ tools }) => commandCall(tools, command), text);
}

/**
 * Calls the tool `toolName` of an MCP server, then says `text`, whatever the tool answered. Agents put the server's
 * name before the tool's, each in its own way, so `toolName` must be unlike every other tool's ending.
 */
export function callMcpToolThenSay(
  phrase: string,
  toolName: string,
  args: Readonly<Record<string, unknown>>,
  text: string,
): ModelRule {
  return callThenSay(phrase, ({ tools }) => mcpToolCall(tools, toolName, args), text);
}

/** Calls what `choose` picks from the offered tools once, then says `text`. No tool picked: says that it is missing. */
export function callThenSay(
  phrase: string,
  choose: (request: ModelRequest) => ToolCall | undefined,
  text: string,
): ModelRule {
  return onPrompt(phrase, (request) => {
    if (request.toolResults.length > 0) return { kind: 'text', text };
    const call = choose(request);
    if (call !== undefined) return { kind: 'tool-call', call };
    const offered = request.tools.map((tool) => tool.name).join(', ');
    return { kind: 'text', text: `No offered tool fits the script. Offered: ${offered}` };
  });
}

/** The first rule's answer; side requests never reach a rule. */
export function answerOf(rules: readonly ModelRule[], request: ModelRequest): ModelAnswer {
  if (request.isSide) return { kind: 'text', text: DEFAULT_TEXT };
  for (const rule of rules) {
    const answer = rule(request);
    if (answer !== undefined) return answer;
  }
  return { kind: 'text', text: DEFAULT_TEXT };
}

function onPrompt(phrase: string, answer: (request: ModelRequest) => ModelAnswer): ModelRule {
  return (request) => (request.userText.includes(phrase) ? answer(request) : undefined);
}
