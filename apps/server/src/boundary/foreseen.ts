import type { Outcome } from '@reeve/policy';
import type { ReviewServer } from '@reeve/protocol';
import type { RootStanding } from './root-standing.ts';

/** What would come of a session that begins now, by policies and by what people decided before. */
export interface Foresight {
  /** What each root is, in order. */
  readonly roots: readonly Pick<RootStanding, 'root' | 'risks' | 'highRisk' | 'inProject' | 'why'>[];
  readonly servers: readonly ForeseenServer[];
}

export interface ForeseenServer {
  readonly shown: ReviewServer;
  /** Whether it may start. */
  readonly start: Outcome;
  /** Ids of the policies that decide so. */
  readonly policies: readonly string[];
  /** What becomes of each root once it runs, in order. */
  readonly roots: readonly { readonly standing: RootStanding; readonly outcome: Outcome }[];
}
