import type { Circumstances, PolicySet, ServerFacts } from '@reeve/policy';
import type { CallDecision, CallSummary } from './server-guard.ts';

/** What a decision about a call rests on besides the call. The same objects say the same. */
export interface CallGrounds {
  readonly policies: PolicySet;
  /** Of the server's scope. */
  readonly revision: number;
  readonly circumstances: Circumstances;
  readonly server: ServerFacts;
}

/** As policies and records are told of the call. */
export interface CallNames {
  readonly name: string;
  readonly recorded: string;
}

/**
 * What was decided about the calls of one server. It counts until anything changes that it rests on: agents call the same few tools over
 * and over, and to write the facts out for each call takes longer than to compare them.
 */
export class CallDecisions {
  readonly #made = new Map<string, CallDecision>();
  readonly #maxRemembered: number;
  #grounds: CallGrounds | undefined;

  /** @param maxRemembered all are forgotten where there would be more: an agent may name tools that there are not */
  constructor(maxRemembered = 256) {
    this.#maxRemembered = maxRemembered;
  }

  /** @param decide asked where it is not known */
  of(
    grounds: CallGrounds,
    { claims }: Pick<CallSummary, 'claims'>,
    { name, recorded }: CallNames,
    staleRoots: boolean,
    decide: () => CallDecision,
  ): CallDecision {
    if (this.#grounds === undefined || !areSame(this.#grounds, grounds)) {
      this.#made.clear();
      this.#grounds = grounds;
    }
    const { readOnly, destructive, openWorld } = claims;
    const key = `${staleRoots} ${readOnly} ${destructive} ${openWorld} ${name.length} ${name} ${recorded}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const decision = decide();
    if (this.#made.size >= this.#maxRemembered) this.#made.clear();
    this.#made.set(key, decision);
    return decision;
  }
}

function areSame(one: CallGrounds, other: CallGrounds): boolean {
  return (
    one.policies === other.policies &&
    one.revision === other.revision &&
    one.circumstances === other.circumstances &&
    one.server === other.server
  );
}
