import { isObject, type JsonObject } from '@reeve/protocol';
import { type Draft, type DraftItem, markChanged, type Stamp } from './draft.ts';
import { addItem, type FoldState, type TerminalCall, touchItem } from './fold-state.ts';
import type { RequestOutcome } from './timeline-item.ts';

/** The most of a terminal's output that an item has. */
export const MAX_TERMINAL_CHARS = 256 * 1024;

/** `terminal_update` and `terminal_output_chunk` (ACP v2); their output is base64. */
export function foldTerminal(state: FoldState, update: JsonObject, stamp: Stamp): void {
  const { terminalId, command, cwd, output, exitStatus, data } = update;
  if (typeof terminalId !== 'string') return;
  const draft = terminalOf(state, terminalId, stamp);
  const { item } = draft;
  if (typeof command === 'string') item.command = command;
  if (typeof cwd === 'string') item.cwd = cwd;
  if (isObject(output) && typeof output.data === 'string') setOutput(draft, decoded(output.data), false);
  if (typeof data === 'string') addOutput(item, decoded(data));
  if (isObject(exitStatus)) setExit(item, exitStatus);
  touchItem(draft, stamp);
}

/** The notes `terminal_output` and `terminal_exited`: of a terminal that Reeve runs. False where it is another note. */
export function foldTerminalNote(state: FoldState, type: string, facts: JsonObject, stamp: Stamp): boolean {
  const { terminalId, output, omittedBytes } = facts;
  if (typeof terminalId !== 'string' || (type !== 'terminal_output' && type !== 'terminal_exited')) return false;
  const draft = terminalOf(state, terminalId, stamp);
  if (type === 'terminal_exited') setExit(draft.item, facts);
  else {
    if (typeof omittedBytes === 'number') {
      draft.item.omittedBytes = (draft.item.omittedBytes ?? 0) + omittedBytes;
      addOutput(draft.item, `\n[${omittedBytes} bytes are not in the log]\n`);
    }
    if (typeof output === 'string') addOutput(draft.item, output);
  }
  touchItem(draft, stamp);
  return true;
}

/** A `terminal/*` request of the agent (ACP v1): it is about an item, and asks no person. False where it names none. */
export function foldTerminalRequest(
  state: FoldState,
  { key, method, params }: { readonly key: string; readonly method: string; readonly params: JsonObject },
  stamp: Stamp,
): boolean {
  const { terminalId, command, args, cwd } = params;
  if (method === 'terminal/create') {
    const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
    const draft = addItem<'terminal'>(state, stamp, {
      kind: 'terminal',
      terminalId: '',
      command: words.join(' '),
      ...(typeof cwd === 'string' ? { cwd } : {}),
      output: '',
      truncated: false,
    });
    state.terminalCalls.set(key, { draft, method, seq: stamp.seq });
    return true;
  }
  if (typeof terminalId !== 'string') return false;
  const draft = terminalOf(state, terminalId, stamp);
  state.terminalCalls.set(key, { draft, method, seq: stamp.seq });
  touchItem(draft, stamp);
  return true;
}

/** What the agent was answered. Output that Reeve itself answered stands in notes, as it came. */
export function settleTerminalCall(
  state: FoldState,
  { draft, method, seq }: TerminalCall,
  outcome: RequestOutcome,
): void {
  const { item } = draft;
  markChanged(draft);
  state.terminalsChanged = true;
  if (outcome.kind === 'failed' && method === 'terminal/create') item.problem = outcome.message;
  if (outcome.kind !== 'answered' || !isObject(outcome.result)) return;
  const { terminalId, output, truncated, exitStatus } = outcome.result;
  switch (method) {
    case 'terminal/create':
      if (typeof terminalId !== 'string') return;
      item.terminalId = terminalId;
      state.terminals.set(terminalId, draft);
      return;
    case 'terminal/output':
      // Of answers that overtook each other the one to the newest question counts.
      if (outcome.source !== 'client' || typeof output !== 'string' || seq < draft.outputOf) return;
      draft.outputOf = seq;
      setOutput(draft, output, truncated === true);
      if (isObject(exitStatus)) setExit(item, exitStatus);
      return;
    case 'terminal/wait_for_exit':
      setExit(item, outcome.result);
  }
}

/** What a newer stretch of a log says of a terminal, put behind what an older one says. */
export function mergeTerminal(before: Draft<'terminal'>, draft: Draft<'terminal'>): void {
  const { item } = before;
  const { output, truncated, omittedBytes = 0, ...newer } = draft.item;
  if (draft.whole) {
    setOutput(before, output, truncated);
    delete item.omittedBytes;
  } else {
    item.truncated ||= truncated;
    addOutput(item, output);
  }
  if (omittedBytes > 0) item.omittedBytes = (item.omittedBytes ?? 0) + omittedBytes;
  before.outputOf = Math.max(before.outputOf, draft.outputOf);
  const { command, cwd, exitCode, signal, ended, problem } = newer;
  const told = Object.entries({ command, cwd, exitCode, signal, ended, problem });
  Object.assign(item, Object.fromEntries(told.filter(([, value]) => value !== undefined)));
}

/** The terminal of that id, made where nothing was read of it yet. */
function terminalOf(state: FoldState, terminalId: string, stamp: Stamp): Draft<'terminal'> {
  state.terminalsChanged = true;
  const known = state.terminals.get(terminalId);
  if (known) return known;
  const draft = addItem<'terminal'>(state, stamp, { kind: 'terminal', terminalId, output: '', truncated: false });
  draft.orphan = true;
  state.terminals.set(terminalId, draft);
  return draft;
}

function setOutput(draft: Draft<'terminal'>, output: string, truncated: boolean): void {
  draft.whole = true;
  draft.item.output = '';
  draft.item.truncated = truncated;
  addOutput(draft.item, output);
}

/** Output is cut at its beginning, now and then rather than with every word. */
function addOutput(item: DraftItem<'terminal'>, text: string): void {
  item.output += text;
  if (item.output.length <= MAX_TERMINAL_CHARS) return;
  item.truncated = true;
  if (item.output.length > 2 * MAX_TERMINAL_CHARS) item.output = item.output.slice(-MAX_TERMINAL_CHARS);
}

function setExit(item: DraftItem<'terminal'>, { exitCode, signal }: JsonObject): void {
  item.ended = true;
  if (typeof exitCode === 'number') item.exitCode = exitCode;
  if (typeof signal === 'string') item.signal = signal;
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  } catch {
    return '';
  }
}
