import type { JsonObject, JsonRpcId } from '@reeve/protocol';

/** Every kind of item has these. What stands in an item came from agents and clients: hostile until shown as text. */
interface ItemBase {
  /** A key for lists. It stays while the item grows; only an item whose beginning comes with an older page gets another one. */
  readonly key: string;
  /** Seq of the first and of the last event that made it. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The events that made it, as runs of seqs from first to last, ascending: what to show as raw beside the item. */
  readonly ranges: readonly SeqRange[];
  /** When the first and the last of them came, in milliseconds since the epoch. */
  readonly at: number;
  readonly lastAt: number;
}

export type SeqRange = readonly [first: number, last: number];

/** An ACP content block as it came; neighbouring text blocks of one message are one. */
export type ContentBlock = JsonObject & { readonly type: string };

export interface UserMessageItem extends ItemBase {
  readonly kind: 'user';
  readonly blocks: readonly ContentBlock[];
  /** Of the whole prompt, as the client sent it. */
  readonly connection?: string;
  readonly messageId?: string;
}

export interface AgentMessageItem extends ItemBase {
  readonly kind: 'agent';
  readonly blocks: readonly ContentBlock[];
  readonly messageId?: string;
}

export interface ThoughtItem extends ItemBase {
  readonly kind: 'thought';
  readonly blocks: readonly ContentBlock[];
  readonly messageId?: string;
}

/** `{type: 'content' | 'diff' | 'terminal' | …}` as ACP has it, of either version. */
export type ToolContent = JsonObject & { readonly type: string };

export interface ToolItem extends ItemBase {
  readonly kind: 'tool';
  readonly toolCallId: string;
  /** Undefined while the page that has the beginning of the call is not there. */
  readonly title?: string;
  /** `read`, `edit`, `execute`, … as the agent says. */
  readonly toolKind?: string;
  /** `pending`, `in_progress`, `completed`, `failed`, `cancelled`, or what the agent says. */
  readonly status: string;
  readonly content: readonly ToolContent[];
  readonly locations: readonly { readonly path: string; readonly line?: number }[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  /** From the first event to the one that ended it; undefined while it runs. */
  readonly durationMs?: number;
}

/** The changes of files in a tool call, whichever version of ACP wrote them. */
export interface FileDiff {
  readonly path: string;
  /** Undefined for a new file. */
  readonly oldText?: string;
  readonly newText?: string;
  /** A unified diff, where the agent gave no whole texts. */
  readonly patch?: string;
}

export interface PlanItem extends ItemBase {
  readonly kind: 'plan';
  readonly entries: readonly { readonly content: string; readonly status: string; readonly priority?: string }[];
}

/** How a request of the agent ended, as far as the log tells. Who answered is in `RequestInfo.state.by`. */
export type RequestOutcome =
  | { readonly kind: 'pending' }
  | {
      readonly kind: 'answered';
      readonly at: number;
      readonly source: 'client' | 'reeve';
      readonly connection?: string;
      readonly result: unknown;
    }
  | { readonly kind: 'failed'; readonly at: number; readonly message: string }
  /** The agent process that asked is gone. */
  | { readonly kind: 'void'; readonly at: number };

/** A permission, question, elicitation or review. */
export interface RequestItem extends ItemBase {
  readonly kind: 'request';
  readonly rpcId: JsonRpcId;
  readonly method: string;
  readonly params: JsonObject;
  readonly outcome: RequestOutcome;
}

/** The end of a turn. */
export interface TurnEndItem extends ItemBase {
  readonly kind: 'turn_end';
  /** `end_turn`, `cancelled`, …; undefined where the prompt failed. */
  readonly stopReason?: string;
  readonly error?: { readonly code: number; readonly message: string };
  readonly usage?: unknown;
  readonly durationMs?: number;
}

/** Tokens and cost, as the agent last said in its turn. */
export interface UsageItem extends ItemBase {
  readonly kind: 'usage';
  readonly used?: number;
  readonly size?: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** The mode (`mode`), the model or other options have another value than was told before; the first telling of each counts. */
export interface ModeItem extends ItemBase {
  readonly kind: 'mode';
  readonly changes: readonly { readonly option: string; readonly value: string }[];
}

/**
 * What a command of the agent wrote, with its control sequences: in a terminal of Reeve as it came; in one of the agent's own (ACP v2) as
 * the agent shows it; in one of a client as the agent last asked for it.
 */
export interface TerminalItem extends ItemBase {
  readonly kind: 'terminal';
  /** Empty while it is not told, or where there is none: see `problem`. */
  readonly terminalId: string;
  readonly command?: string;
  readonly cwd?: string;
  /** The last `MAX_TERMINAL_CHARS` characters. */
  readonly output: string;
  readonly truncated: boolean;
  /** What Reeve did not keep between the beginning and the end; the output says where. */
  readonly omittedBytes?: number;
  /** The command has ended, or was stopped. */
  readonly ended?: true;
  readonly exitCode?: number;
  readonly signal?: string;
  /** Why the command was not started. */
  readonly problem?: string;
}

/**
 * A fact: of Reeve (`agent_started`, `agent_exited`, `forked`, `session_ended`, …), of a client (`cancel`), a notice of the agent
 * (`notice`), or an update that this SDK does not know (`unknown`).
 */
export interface NoteItem extends ItemBase {
  readonly kind: 'note';
  readonly type: string;
  readonly facts: JsonObject;
}

export type TimelineItem =
  | UserMessageItem
  | AgentMessageItem
  | ThoughtItem
  | ToolItem
  | PlanItem
  | RequestItem
  | TurnEndItem
  | UsageItem
  | ModeItem
  | TerminalItem
  | NoteItem;

/** What was read of a session, as people are shown it. Items that did not change are the same objects as before. */
export interface TimelineView {
  readonly items: readonly TimelineItem[];
  /** Of the items the terminals, by the id that tool calls name in their content. The same object until one of them changes. */
  readonly terminals: ReadonlyMap<string, TerminalItem>;
  /** Seq of the oldest and the newest event that was read; 0 while there is none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** A turn runs, as far as the events say. */
  readonly running: boolean;
  /** The newest that was said of each. */
  readonly usage?: UsageItem;
  readonly plan?: PlanItem;
  readonly modeId?: string;
  readonly configOptions?: readonly JsonObject[];
  readonly commands?: readonly JsonObject[];
  readonly title?: string;
}
