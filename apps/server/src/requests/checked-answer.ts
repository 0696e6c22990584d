import type { ReplyMapping } from '@reeve/protocol';

/** What an answer becomes: the result that the agent is sent, or why it is none. */
export type CheckedAnswer =
  | { readonly kind: 'ok'; readonly result: unknown; readonly mapping?: ReplyMapping }
  | { readonly kind: 'not_offered'; readonly offered: readonly string[]; readonly why: string };

/** What counts of who answers. `now`: milliseconds since the epoch. */
export interface Answering {
  readonly administrator: boolean;
  readonly now: number;
}
