import type { JsonObject } from '@reeve/protocol';
import {
  baseAt,
  type ChangedDraft,
  type Draft,
  type DraftItem,
  draftOf,
  markChanged,
  type Stamp,
  touch,
} from './draft.ts';
import type { TimelineItem } from './timeline-item.ts';

/** Something that the agent asked about a terminal, while it has no answer. */
export interface TerminalCall {
  readonly draft: Draft<'terminal'>;
  readonly method: string;
  readonly seq: number;
}

export type MessageKind = 'user' | 'agent' | 'thought';

/** How a request ended whose beginning was not read. */
export interface LateOutcome {
  readonly stamp: Stamp;
  readonly outcome: DraftItem<'request'>['outcome'];
}

/** What the events of one stretch of a log have become, and what the next event needs of it. */
export interface FoldState {
  readonly drafts: Draft[];
  /** Drafts that were shown and have changed since. */
  changed: ChangedDraft[];
  tools: Map<string, Draft<'tool'>>;
  terminals: Map<string, Draft<'terminal'>>;
  /** A terminal looks different than it was shown. */
  terminalsChanged: boolean;
  /** What was asked about terminals and has no answer, by JSON-RPC id. */
  readonly terminalCalls: Map<string, TerminalCall>;
  /** By kind and messageId. */
  messages: Map<string, Draft<MessageKind>>;
  /** Requests without an answer, by JSON-RPC id. */
  readonly open: Map<string, Draft<'request'>>;
  /** Answers to requests of an older page, by JSON-RPC id. */
  readonly late: Map<string, LateOutcome>;
  /** When each JSON-RPC id was used first: an older request with it that had no answer then gets none any more. */
  readonly asked: Map<string, Stamp>;
  /** Repetitions of a prompt of an older page. */
  readonly lateEchoes: Stamp[];
  /** What was told last of the mode and each option, and the item that told it first: an older page may have told the same. */
  readonly values: Map<string, string>;
  readonly firstValues: Map<string, Draft<'mode'>>;
  /** When a process ended first: requests of older pages that nobody had answered are void since then. */
  voidSince: Stamp | undefined;
  /** Of the turn that runs, or ran last. */
  plan: Draft<'plan'> | undefined;
  usage: Draft<'usage'> | undefined;
  /** The last of all turns. */
  newestPlan: Draft<'plan'> | undefined;
  newestUsage: Draft<'usage'> | undefined;
  /** Plan and usage of a turn that began in an older page. */
  readonly ofOlderTurn: { plan: Draft<'plan'> | undefined; usage: Draft<'usage'> | undefined };
  /** The end of a turn that began in an older page. */
  olderTurnEnd: Draft<'turn_end'> | undefined;
  /** A turn began or ended here: what comes after is of no older turn. */
  hasTurn: boolean;
  /** The newest prompt while the agent may repeat it. */
  prompt: Draft<'user'> | undefined;
  turnBeganAt: number | undefined;
  /** Undefined where the events do not say. */
  running: boolean | undefined;
  firstSeq: number;
  lastSeq: number;
  modeId: string | undefined;
  configOptions: readonly JsonObject[] | undefined;
  commands: readonly JsonObject[] | undefined;
  title: string | undefined;
}

export function newFold(): FoldState {
  return {
    drafts: [],
    changed: [],
    tools: new Map(),
    terminals: new Map(),
    terminalsChanged: false,
    terminalCalls: new Map(),
    messages: new Map(),
    open: new Map(),
    late: new Map(),
    asked: new Map(),
    lateEchoes: [],
    values: new Map(),
    firstValues: new Map(),
    voidSince: undefined,
    plan: undefined,
    usage: undefined,
    newestPlan: undefined,
    newestUsage: undefined,
    ofOlderTurn: { plan: undefined, usage: undefined },
    olderTurnEnd: undefined,
    hasTurn: false,
    prompt: undefined,
    turnBeganAt: undefined,
    running: undefined,
    firstSeq: 0,
    lastSeq: 0,
    modeId: undefined,
    configOptions: undefined,
    commands: undefined,
    title: undefined,
  };
}

/** What an item is beside what all items are. */
type Own<Kind extends TimelineItem['kind']> = Omit<DraftItem<Kind>, keyof ReturnType<typeof baseAt>>;

export function addItem<Kind extends TimelineItem['kind']>(
  state: FoldState,
  stamp: Stamp,
  own: Own<Kind>,
): Draft<Kind> {
  const draft = draftOf<Kind>(
    { ...baseAt(stamp), ...own } as unknown as DraftItem<Kind>,
    state.drafts.length,
    state.changed,
  );
  state.drafts.push(draft as unknown as Draft);
  return draft;
}

export function touchItem<Kind extends TimelineItem['kind']>(draft: Draft<Kind>, stamp: Stamp): void {
  touch(draft as unknown as Draft, stamp);
}

/** Ends what waits: the process that asked is gone. */
export function voidOpen(state: FoldState, stamp: Stamp): void {
  state.voidSince ??= stamp;
  for (const draft of state.open.values()) settle(draft, { kind: 'void', at: stamp.at });
  state.open.clear();
  state.terminalCalls.clear();
}

export function settle(draft: Draft<'request'>, outcome: LateOutcome['outcome']): void {
  draft.item.outcome = outcome;
  markChanged(draft);
}
