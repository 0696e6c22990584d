import { addBlock } from './content.ts';
import { type Draft, type DraftItem, markChanged } from './draft.ts';
import { goesOn } from './fold-messages.ts';
import { type FoldState, type LateOutcome, type MessageKind, settle, touchItem } from './fold-state.ts';
import { mergeTerminal, settleTerminalCall } from './fold-terminals.ts';
import { hasEnded } from './fold-tools.ts';
import type { SeqRange } from './timeline-item.ts';

/**
 * Puts what a newer stretch of a log has become behind an older one, in place: what goes on over the seam becomes one item, and the
 * result is what folding both in one go gives. `newer` is not to be used afterwards.
 */
export function joinFolds(older: FoldState, newer: FoldState): void {
  for (const [key, late] of newer.late) applyLate(older, key, late);
  const ended = newer.voidSince;
  for (const [key, { at, seq }] of newer.asked) {
    const draft = older.open.get(key);
    if (draft && (!ended || seq < ended.seq)) settle(draft, { kind: 'void', at });
    else if (draft && ended) settle(draft, { kind: 'void', at: ended.at });
    older.open.delete(key);
    older.terminalCalls.delete(key);
    if (!older.asked.has(key)) older.asked.set(key, { at, seq });
  }
  if (ended) {
    for (const draft of older.open.values()) settle(draft, { kind: 'void', at: ended.at });
    older.open.clear();
    older.terminalCalls.clear();
    older.voidSince ??= ended;
  }
  for (const draft of older.drafts) draft.changed = newer.changed;
  older.changed = newer.changed;
  const { prompt } = older;
  if (prompt) for (const stamp of newer.lateEchoes) touchItem(prompt, stamp);
  else if (!older.hasTurn) older.lateEchoes.push(...newer.lateEchoes);
  for (const draft of newer.drafts) joinDraft(older, newer, draft);
  older.tools = joinMaps(older.tools, newer.tools);
  older.terminals = joinMaps(older.terminals, newer.terminals);
  older.terminalsChanged = true;
  for (const [key, { draft, ...call }] of newer.terminalCalls) {
    const kept = merged.has(draft) ? older.terminals.get(draft.item.terminalId) : draft;
    if (kept) older.terminalCalls.set(key, { ...call, draft: kept });
  }
  older.messages = joinMaps(older.messages, newer.messages);
  if (newer.newestPlan && !merged.has(newer.newestPlan)) older.newestPlan = newer.newestPlan;
  if (newer.newestUsage && !merged.has(newer.newestUsage)) older.newestUsage = newer.newestUsage;
  for (const [id, draft] of newer.open) older.open.set(id, draft);
  joinTurn(older, newer);
  older.firstSeq ||= newer.firstSeq;
  older.lastSeq = newer.lastSeq || older.lastSeq;
  older.modeId = newer.modeId ?? older.modeId;
  older.configOptions = newer.configOptions ?? older.configOptions;
  for (const [option, draft] of newer.firstValues) if (!older.values.has(option)) older.firstValues.set(option, draft);
  for (const [option, value] of newer.values) older.values.set(option, value);
  older.commands = newer.commands ?? older.commands;
  older.title = newer.title ?? older.title;
}

/** Drafts that became part of an older one, for the maps that still name them. */
const merged = new WeakSet<object>();

/** The newer map, which is the longer one, with what is in the older page alone, or went on there. */
function joinMaps<T extends object>(older: Map<string, T>, newer: Map<string, T>): Map<string, T> {
  for (const [id, draft] of older) {
    const after = newer.get(id);
    if (!after || merged.has(after)) newer.set(id, draft);
  }
  return newer;
}

function joinDraft(older: FoldState, newer: FoldState, draft: Draft): void {
  if (saysNothingNew(older, newer, draft)) return;
  const before = partnerOf(older, newer, draft);
  if (!before) {
    draft.index = older.drafts.length;
    older.drafts.push(draft);
    return;
  }
  merged.add(draft);
  markChanged(before);
  mergeItem(before, draft);
  before.item.ranges = joinRanges(before.item.ranges, draft.item.ranges);
  if (draft.item.lastSeq > before.item.lastSeq) {
    before.item.lastSeq = draft.item.lastSeq;
    before.item.lastAt = draft.item.lastAt;
  }
}

/** The seqs of both, as few runs as there can be. */
function joinRanges(one: readonly SeqRange[], other: readonly SeqRange[]): SeqRange[] {
  const joined: SeqRange[] = [];
  for (const [first, last] of [...one, ...other].sort(([a], [b]) => a - b)) {
    const before = joined.at(-1);
    if (before && first <= before[1] + 1) joined[joined.length - 1] = [before[0], Math.max(before[1], last)];
    else joined.push([first, last]);
  }
  return joined;
}

/** Values that were told before, or the end of work that had ended. */
function saysNothingNew(older: FoldState, newer: FoldState, draft: Draft): boolean {
  if (draft.kind === 'turn_end') return draft.orphan && isSame(draft, newer.olderTurnEnd) && older.running === false;
  if (draft.kind !== 'mode' || draft.item.kind !== 'mode') return false;
  const { changes } = draft.item;
  const isNew = ({ option, value }: (typeof changes)[number]): boolean =>
    !isSame(draft, newer.firstValues.get(option)) || older.values.get(option) !== value;
  draft.item.changes = changes.filter(isNew);
  markChanged(draft);
  return draft.item.changes.length === 0;
}

/** The item of the older stretch that this one goes on with. */
function partnerOf(older: FoldState, newer: FoldState, draft: Draft): Draft | undefined {
  // Most of what there is never goes on with anything: it is told apart without a look at the item.
  if (draft.kind === 'request' || draft.kind === 'note' || draft.kind === 'turn_end' || draft.isPrompt)
    return undefined;
  const { item } = draft;
  switch (item.kind) {
    case 'tool': {
      const known = older.tools.get(item.toolCallId);
      return known && (draft.orphan || !hasEnded(known)) ? (known as unknown as Draft) : undefined;
    }
    case 'terminal':
      return draft.orphan ? (older.terminals.get(item.terminalId) as unknown as Draft | undefined) : undefined;
    case 'plan':
      return isSame(draft, newer.ofOlderTurn.plan) ? (older.plan as unknown as Draft | undefined) : undefined;
    case 'usage':
      return isSame(draft, newer.ofOlderTurn.usage) ? (older.usage as unknown as Draft | undefined) : undefined;
    case 'user':
    case 'agent':
    case 'thought': {
      const known = item.messageId === undefined ? undefined : older.messages.get(`${item.kind} ${item.messageId}`);
      if (known) return known as unknown as Draft;
      const last = older.drafts.at(-1);
      return last && goesOn(last, item.kind as MessageKind, item.messageId) ? last : undefined;
    }
    default:
      return undefined;
  }
}

function mergeItem(before: Draft, draft: Draft): void {
  const { item } = draft;
  switch (item.kind) {
    case 'tool':
      return mergeTool(before as unknown as Draft<'tool'>, draft as unknown as Draft<'tool'>);
    case 'terminal':
      return mergeTerminal(before as unknown as Draft<'terminal'>, draft as unknown as Draft<'terminal'>);
    case 'plan':
      (before.item as DraftItem<'plan'>).entries = item.entries;
      return;
    case 'usage':
      Object.assign(before.item, defined({ used: item.used, size: item.size, cost: item.cost }));
      return;
    case 'user':
    case 'agent':
    case 'thought': {
      const whole = before.item as DraftItem<'agent'>;
      if (draft.whole) whole.blocks = item.blocks;
      else for (const block of item.blocks) addBlock(whole.blocks, block);
      return;
    }
    default:
      return;
  }
}

function mergeTool(before: Draft<'tool'>, draft: Draft<'tool'>): void {
  const { item } = draft;
  const { title, toolKind, rawInput, rawOutput } = item;
  Object.assign(before.item, defined({ title, toolKind, rawInput, rawOutput }));
  if (draft.whole) {
    before.item.content = item.content;
    before.whole = true;
  } else before.item.content.push(...item.content);
  if (item.locations.length > 0) before.item.locations = item.locations;
  if (!draft.hasStatus) return;
  before.hasStatus = true;
  before.item.status = item.status;
  if (item.durationMs === undefined) delete before.item.durationMs;
  else before.item.durationMs = item.at + item.durationMs - before.item.at;
}

function applyLate(older: FoldState, key: string, { stamp, outcome }: LateOutcome): void {
  const call = older.terminalCalls.get(key);
  const asked = older.open.get(key);
  if (call) settleTerminalCall(older, call, outcome);
  else if (asked) settle(asked, outcome);
  const draft = (call?.draft ?? asked) as Draft | undefined;
  if (!draft) {
    if (!older.voidSince && !older.late.has(key) && !older.asked.has(key)) older.late.set(key, { stamp, outcome });
    return;
  }
  older.open.delete(key);
  older.terminalCalls.delete(key);
  draft.item.ranges = joinRanges(draft.item.ranges, [[stamp.seq, stamp.seq]]);
  if (stamp.seq <= draft.item.lastSeq) return;
  draft.item.lastSeq = stamp.seq;
  draft.item.lastAt = stamp.at;
}

function joinTurn(older: FoldState, newer: FoldState): void {
  const { olderTurnEnd } = newer;
  if (olderTurnEnd && older.turnBeganAt !== undefined) {
    olderTurnEnd.item.durationMs = olderTurnEnd.item.at - older.turnBeganAt;
    markChanged(olderTurnEnd);
  }
  if (!older.hasTurn) {
    older.ofOlderTurn.plan ??= newer.ofOlderTurn.plan;
    older.ofOlderTurn.usage ??= newer.ofOlderTurn.usage;
    older.olderTurnEnd = olderTurnEnd;
  }
  if (newer.hasTurn) {
    older.plan = newer.plan;
    older.usage = newer.usage;
    older.prompt = newer.prompt;
    older.turnBeganAt = newer.turnBeganAt;
  } else {
    older.plan ??= newer.plan;
    older.usage ??= newer.usage;
  }
  older.hasTurn ||= newer.hasTurn;
  older.running = newer.running ?? older.running;
}

function isSame(draft: Draft, other: object | undefined): boolean {
  return (draft as object) === other;
}

function defined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
