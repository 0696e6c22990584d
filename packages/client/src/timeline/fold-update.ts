import { isObject, type JsonObject } from '@reeve/protocol';
import { blockOf, textOf, wordOf } from './content.ts';
import type { Draft, Stamp } from './draft.ts';
import { foldChunk, foldEcho, foldMessage } from './fold-messages.ts';
import { addItem, type FoldState, touchItem } from './fold-state.ts';
import { foldTerminal } from './fold-terminals.ts';
import { foldToolCall, foldToolContent } from './fold-tools.ts';
import type { ModeItem } from './timeline-item.ts';

/** What the `session/update` of either version says (ACP, `SessionUpdate`). */
export function foldUpdate(state: FoldState, update: JsonObject, ofClient: boolean, stamp: Stamp): void {
  const kind = wordOf(update.sessionUpdate);
  switch (kind) {
    case 'user_message_chunk':
      if (!foldEcho(state, update, ofClient, stamp)) foldChunk(state, 'user', update, stamp);
      return;
    case 'user_message':
      if (!foldEcho(state, update, ofClient, stamp)) foldMessage(state, 'user', update, stamp);
      return;
    case 'agent_message_chunk':
      return foldChunk(state, 'agent', update, stamp);
    case 'agent_message':
      return foldMessage(state, 'agent', update, stamp);
    case 'agent_thought_chunk':
      return foldChunk(state, 'thought', update, stamp);
    case 'agent_thought':
      return foldMessage(state, 'thought', update, stamp);
    case 'tool_call':
    case 'tool_call_update':
      return foldToolCall(state, update, stamp);
    case 'tool_call_content_chunk':
      return foldToolContent(state, update, stamp);
    case 'terminal_update':
    case 'terminal_output_chunk':
      return foldTerminal(state, update, stamp);
    case 'plan':
      return foldPlan(state, update.entries, stamp);
    case 'plan_update':
      if (isObject(update.plan)) foldPlan(state, update.plan.entries, stamp);
      return;
    case 'usage_update':
      return foldUsage(state, update, stamp);
    case 'current_mode_update':
      return foldMode(state, update.currentModeId, stamp);
    case 'config_option_update':
      return foldOptions(state, update.configOptions, stamp);
    case 'available_commands_update':
      if (Array.isArray(update.availableCommands)) state.commands = update.availableCommands.filter(isObject);
      return;
    case 'session_info_update':
      if (typeof update.title === 'string') state.title = update.title;
      return;
    case 'state_update':
      return foldWork(state, update, stamp);
    case 'compaction_summary_chunk':
      return foldSummary(state, update, stamp);
    default: {
      const { sessionUpdate, ...facts } = update;
      const known = kind === 'notice' || kind === 'compaction_update';
      addItem<'note'>(state, stamp, { kind: 'note', type: known ? kind : 'unknown', facts: known ? facts : update });
    }
  }
}

/** A plan is always whole; a turn has one. */
function foldPlan(state: FoldState, entries: unknown, stamp: Stamp): void {
  if (!Array.isArray(entries)) return;
  if (!state.plan) {
    state.plan = addItem<'plan'>(state, stamp, { kind: 'plan', entries: [] });
    state.newestPlan = state.plan;
    if (!state.hasTurn) state.ofOlderTurn.plan = state.plan;
  }
  state.plan.item.entries = entries.filter(isObject).map(({ content, status, priority }) => ({
    content: typeof content === 'string' ? content : textOf([blockOf(content)].filter((one) => one !== undefined)),
    status: wordOf(status, 'pending'),
    ...(typeof priority === 'string' ? { priority } : {}),
  }));
  touchItem(state.plan, stamp);
}

function foldUsage(state: FoldState, { used, size, cost }: JsonObject, stamp: Stamp): void {
  if (!state.usage) {
    state.usage = addItem<'usage'>(state, stamp, { kind: 'usage' });
    state.newestUsage = state.usage;
    if (!state.hasTurn) state.ofOlderTurn.usage = state.usage;
  }
  const { item } = state.usage;
  if (typeof used === 'number') item.used = used;
  if (typeof size === 'number') item.size = size;
  if (isObject(cost) && typeof cost.amount === 'number' && typeof cost.currency === 'string')
    item.cost = { amount: cost.amount, currency: cost.currency };
  touchItem(state.usage, stamp);
}

function foldMode(state: FoldState, modeId: unknown, stamp: Stamp): void {
  if (typeof modeId !== 'string') return;
  state.modeId = modeId;
  tellValues(state, [{ option: 'mode', value: modeId }], stamp);
}

function foldOptions(state: FoldState, given: unknown, stamp: Stamp): void {
  if (!Array.isArray(given)) return;
  state.configOptions = given.filter(isObject);
  const told = state.configOptions.flatMap(({ id, currentValue }) =>
    typeof id === 'string' ? [{ option: id, value: wordOf(currentValue) }] : [],
  );
  tellValues(state, told, stamp);
}

function tellValues(state: FoldState, told: readonly ModeItem['changes'][number][], stamp: Stamp): void {
  const changes = told.filter(({ option, value }) => state.values.get(option) !== value);
  if (changes.length === 0) return;
  const draft = addItem<'mode'>(state, stamp, { kind: 'mode', changes });
  for (const { option, value } of changes) {
    if (!state.values.has(option)) state.firstValues.set(option, draft);
    state.values.set(option, value);
  }
}

/** `state_update` (ACP v2): work begins, waits or ends. */
function foldWork(state: FoldState, update: JsonObject, stamp: Stamp): void {
  const busy = update.state !== 'idle';
  const wasBusy = state.running;
  state.running = busy;
  if (busy || wasBusy === false) return;
  const { stopReason, error } = update;
  const ended = endTurn(state, stamp, {
    ...(typeof stopReason === 'string' ? { stopReason } : {}),
    ...(isObject(error) && typeof error.message === 'string'
      ? { error: { code: typeof error.code === 'number' ? error.code : 0, message: error.message } }
      : {}),
  });
  // What is told a second time is no new end: that is known when older pages are.
  ended.orphan = wasBusy === undefined;
}

function foldSummary(state: FoldState, { compactionId, content }: JsonObject, stamp: Stamp): void {
  const last = state.drafts.at(-1) as Draft<'note'> | undefined;
  const text = textOf([blockOf(content)].filter((one) => one !== undefined));
  if (last?.item.kind === 'note' && last.item.type === 'compaction' && last.item.facts.compactionId === compactionId) {
    last.item.facts = { compactionId, summary: `${wordOf(last.item.facts.summary)}${text}` };
    return touchItem(last, stamp);
  }
  addItem<'note'>(state, stamp, { kind: 'note', type: 'compaction', facts: { compactionId, summary: text } });
}

/** The end of a turn: the next plan and usage are of another one. */
export function endTurn(
  state: FoldState,
  stamp: Stamp,
  how: {
    readonly stopReason?: string;
    readonly error?: { readonly code: number; readonly message: string };
    readonly usage?: unknown;
  },
): Draft<'turn_end'> {
  const began = state.turnBeganAt;
  const draft = addItem<'turn_end'>(state, stamp, {
    kind: 'turn_end',
    ...how,
    ...(began === undefined ? {} : { durationMs: stamp.at - began }),
  });
  if (!state.hasTurn) state.olderTurnEnd = draft;
  state.hasTurn = true;
  state.running = false;
  state.turnBeganAt = undefined;
  state.plan = undefined;
  state.usage = undefined;
  state.prompt = undefined;
  return draft;
}
