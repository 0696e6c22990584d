import { idKey, isObject, type JsonObject, type JsonRpcId, type WireEvent } from '@reeve/protocol';
import { blocksOf, wordOf } from './content.ts';
import type { Stamp } from './draft.ts';
import { addItem, type FoldState, settle, touchItem, voidOpen } from './fold-state.ts';
import { foldTerminalNote, foldTerminalRequest, settleTerminalCall } from './fold-terminals.ts';
import { endTurn, foldUpdate } from './fold-update.ts';
import type { RequestOutcome } from './timeline-item.ts';

/** Takes in the next event of a log: its seq is greater than those before. What it does not know becomes a note, never an error. */
export function foldEvent(state: FoldState, event: WireEvent): void {
  const { seq, at, kind } = event;
  const message = isObject(event.message) ? event.message : {};
  const stamp = { seq, at };
  if (state.firstSeq === 0) state.firstSeq = seq;
  state.lastSeq = seq;
  switch (kind) {
    case 'update':
      return foldNotification(state, event, message, stamp);
    case 'prompt':
      return foldPrompt(state, event, message, stamp);
    case 'turn_end':
      return foldTurnEnd(state, message, stamp);
    case 'request':
      return foldRequest(state, message, stamp);
    case 'response':
      return foldResponse(state, event, message, stamp);
    case 'note':
      return foldNote(state, message, stamp);
    case 'command':
      if (message.method === 'session/cancel')
        addItem<'note'>(state, stamp, { kind: 'note', type: 'cancel', facts: about(event) });
  }
}

function foldNotification(state: FoldState, event: WireEvent, message: JsonObject, stamp: Stamp): void {
  const params = isObject(message.params) ? message.params : {};
  if (message.method === 'session/update' && isObject(params.update)) {
    return foldUpdate(state, params.update, event.source !== 'agent', stamp);
  }
  // Notifications of ours are for clients; what they tell stands in notes and in the session itself.
  if (wordOf(message.method).startsWith('_sandboxagent/')) return;
  addItem<'note'>(state, stamp, { kind: 'note', type: 'unknown', facts: message });
}

function foldPrompt(state: FoldState, event: WireEvent, message: JsonObject, stamp: Stamp): void {
  const params = isObject(message.params) ? message.params : {};
  state.prompt = addItem<'user'>(state, stamp, { kind: 'user', blocks: blocksOf(params.prompt), ...about(event) });
  state.prompt.isPrompt = true;
  state.running = true;
  state.hasTurn = true;
  state.turnBeganAt = event.at;
  state.plan = undefined;
  state.usage = undefined;
}

function foldTurnEnd(state: FoldState, message: JsonObject, stamp: Stamp): void {
  const { result, error } = message;
  if (isObject(error)) {
    const { code, message: text } = error;
    endTurn(state, stamp, { error: { code: typeof code === 'number' ? code : 0, message: wordOf(text) } });
    return;
  }
  const { stopReason, usage } = isObject(result) ? result : ({} as JsonObject);
  // In ACP v2 the answer to a prompt is no end: `state_update` tells that.
  if (typeof stopReason !== 'string') return;
  endTurn(state, stamp, { stopReason, ...(usage === undefined || usage === null ? {} : { usage }) });
}

function foldRequest(state: FoldState, message: JsonObject, stamp: Stamp): void {
  const params = isObject(message.params) ? message.params : {};
  const rpcId = message.id as JsonRpcId;
  const method = wordOf(message.method);
  const key = idKey(rpcId);
  const before = state.open.get(key);
  if (before) settle(before, { kind: 'void', at: stamp.at });
  state.open.delete(key);
  state.terminalCalls.delete(key);
  if (!state.asked.has(key)) state.asked.set(key, stamp);
  if (method.startsWith('terminal/') && foldTerminalRequest(state, { key, method, params }, stamp)) return;
  const draft = addItem<'request'>(state, stamp, {
    kind: 'request',
    rpcId,
    method,
    params,
    outcome: { kind: 'pending' },
  });
  state.open.set(key, draft);
}

function foldResponse(state: FoldState, event: WireEvent, message: JsonObject, stamp: Stamp): void {
  const key = idKey(message.id as JsonRpcId);
  const outcome = outcomeOf(event, message);
  const call = state.terminalCalls.get(key);
  const draft = state.open.get(key);
  if (call) {
    settleTerminalCall(state, call, outcome);
    state.terminalCalls.delete(key);
    touchItem(call.draft, stamp);
  } else if (draft) {
    settle(draft, outcome);
    state.open.delete(key);
    touchItem(draft, stamp);
  } else if (!state.late.has(key) && !state.asked.has(key) && !state.voidSince) state.late.set(key, { stamp, outcome });
}

function outcomeOf(event: WireEvent, { result, error }: JsonObject): RequestOutcome {
  const { at, source, connection } = event;
  if (isObject(error)) return { kind: 'failed', at, message: wordOf(error.message) };
  return {
    kind: 'answered',
    at,
    source: source === 'client' ? 'client' : 'reeve',
    ...(connection === undefined ? {} : { connection }),
    result,
  };
}

/** What follows from other events is not told a second time. */
const SILENT: ReadonlySet<string> = new Set(['request_answered']);

function foldNote(state: FoldState, message: JsonObject, stamp: Stamp): void {
  const { type, ...facts } = message;
  const name = typeof type === 'string' ? type : 'unknown';
  if (name === 'agent_exited' || name === 'agent_started') voidOpen(state, stamp);
  if (!SILENT.has(name) && !foldTerminalNote(state, name, facts, stamp))
    addItem<'note'>(state, stamp, { kind: 'note', type: name, facts });
}

function about({ connection }: WireEvent): { readonly connection?: string } {
  return connection === undefined ? {} : { connection };
}
