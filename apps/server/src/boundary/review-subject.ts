import type { ReviewServer, ReviewTools } from '@reeve/protocol';
import type { ServerFact } from '../audit/governance-fact.ts';

/** The server as it is shown at the time of asking. */
export interface ReviewSubject {
  readonly server: ServerFact;
  readonly shown: ReviewServer;
  readonly tools: ReviewTools | undefined;
}
