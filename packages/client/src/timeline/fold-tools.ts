import { isObject, type JsonObject } from '@reeve/protocol';
import { blockOf } from './content.ts';
import type { Draft, DraftItem, Stamp } from './draft.ts';
import { addItem, type FoldState, touchItem } from './fold-state.ts';
import type { ToolContent } from './timeline-item.ts';

/** The most of a terminal's output that an item has. */
export const MAX_TERMINAL_CHARS = 256 * 1024;

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** `tool_call` and `tool_call_update`: what they say is new, what they leave out stays. In ACP v2 the update makes a call too. */
export function foldToolCall(state: FoldState, update: JsonObject, stamp: Stamp): void {
  const id = update.toolCallId;
  if (typeof id !== 'string') return;
  let draft = state.tools.get(id);
  const begins = update.sessionUpdate === 'tool_call';
  if (!draft || (begins && hasEnded(draft))) {
    draft = addTool(state, id, stamp);
    draft.orphan = !begins;
  }
  setTool(draft, update, stamp);
  touchItem(draft, stamp);
}

/** `tool_call_content_chunk` (ACP v2). */
export function foldToolContent(state: FoldState, { toolCallId, content }: JsonObject, stamp: Stamp): void {
  const block = blockOf(content);
  if (typeof toolCallId !== 'string' || !block) return;
  let draft = state.tools.get(toolCallId);
  if (!draft) {
    draft = addTool(state, toolCallId, stamp);
    draft.orphan = true;
  }
  draft.item.content.push(block);
  touchItem(draft, stamp);
}

/** Whether the call is over: a call of the same id that begins is another one. */
export function hasEnded({ item }: Draft<'tool'>): boolean {
  return ENDED.has(item.status);
}

function addTool(state: FoldState, toolCallId: string, stamp: Stamp): Draft<'tool'> {
  const draft = addItem<'tool'>(state, stamp, {
    kind: 'tool',
    toolCallId,
    status: 'pending',
    content: [],
    locations: [],
  });
  state.tools.set(toolCallId, draft);
  return draft;
}

function setTool(draft: Draft<'tool'>, update: JsonObject, { at }: Stamp): void {
  const { item } = draft;
  const { title, kind, status, content, locations, rawInput, rawOutput } = update;
  if (typeof title === 'string') item.title = title;
  if (typeof kind === 'string') item.toolKind = kind;
  if (typeof status === 'string') {
    item.status = status;
    draft.hasStatus = true;
    if (ENDED.has(status)) item.durationMs = at - item.at;
    else delete item.durationMs;
  }
  if (Array.isArray(content)) {
    item.content = content.map(blockOf).filter((one): one is ToolContent => one !== undefined);
    draft.whole = true;
  }
  if (Array.isArray(locations)) item.locations = locations.map(locationOf).filter((one) => one !== undefined);
  if (rawInput !== undefined && rawInput !== null) item.rawInput = rawInput;
  if (rawOutput !== undefined && rawOutput !== null) item.rawOutput = rawOutput;
}

function locationOf(value: unknown): DraftItem<'tool'>['locations'][number] | undefined {
  if (!isObject(value) || typeof value.path !== 'string') return undefined;
  return { path: value.path, ...(typeof value.line === 'number' ? { line: value.line } : {}) };
}

/** `terminal_update` and `terminal_output_chunk` (ACP v2); their output is base64. */
export function foldTerminal(state: FoldState, update: JsonObject, stamp: Stamp): void {
  const { terminalId, command, cwd, output, exitStatus, data } = update;
  if (typeof terminalId !== 'string') return;
  let draft = state.terminals.get(terminalId);
  if (!draft) {
    draft = addItem<'terminal'>(state, stamp, { kind: 'terminal', terminalId, output: '', truncated: false });
    draft.orphan = true;
    state.terminals.set(terminalId, draft);
  }
  const { item } = draft;
  if (typeof command === 'string') item.command = command;
  if (typeof cwd === 'string') item.cwd = cwd;
  if (isObject(output) && typeof output.data === 'string') {
    item.output = '';
    item.truncated = false;
    draft.whole = true;
    addOutput(item, decoded(output.data));
  }
  if (typeof data === 'string') addOutput(item, decoded(data));
  if (isObject(exitStatus)) {
    if (typeof exitStatus.exitCode === 'number') item.exitCode = exitStatus.exitCode;
    if (typeof exitStatus.signal === 'string') item.signal = exitStatus.signal;
  }
  touchItem(draft, stamp);
}

/** Output is cut at its beginning, now and then rather than with every word. */
export function addOutput(item: DraftItem<'terminal'>, text: string): void {
  item.output += text;
  if (item.output.length <= MAX_TERMINAL_CHARS) return;
  item.truncated = true;
  if (item.output.length > 2 * MAX_TERMINAL_CHARS) item.output = item.output.slice(-MAX_TERMINAL_CHARS);
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}
