import { isObject, type JsonObject } from '@reeve/protocol';
import { blockOf } from './content.ts';
import type { Draft, DraftItem, Stamp } from './draft.ts';
import { addItem, type FoldState, touchItem } from './fold-state.ts';
import type { ToolContent } from './timeline-item.ts';

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
