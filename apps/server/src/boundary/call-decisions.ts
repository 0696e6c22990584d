import type { Circumstances, PolicySet, ServerFacts } from '@reeve/policy';
import type { DecidedCase } from './decided-cases.ts';
import type { CallDecision, CallSummary } from './server-guard.ts';

/** What a decision about a call rests on besides the call. The same objects say the same. */
export interface CallGrounds {
  readonly policies: PolicySet;
  /** Of the server's scope. */
  readonly revision: number;
  readonly circumstances: Circumstances;
  readonly server: ServerFacts;
}

/**
 * What policies say of the calls of one server. It counts until anything changes that it rests on: agents call the same few tools over
 * and over, and to write the facts out for each call takes longer than to compare them.
 */
export class CallDecisions {
  readonly #onDecided: (what: DecidedCase) => void;
  readonly #made = new Map<string, CallDecision>();
  readonly #maxRemembered: number;
  #grounds: CallGrounds | undefined;

  /** @param maxRemembered all are forgotten where there would be more: an agent may name tools that there are not */
  constructor(onDecided: (what: DecidedCase) => void, maxRemembered = 256) {
    this.#onDecided = onDecided;
    this.#maxRemembered = maxRemembered;
  }

  /** @param staleRoots see CallToolFacts */
  decide(
    grounds: CallGrounds,
    call: Pick<CallSummary, 'method' | 'tool' | 'claims' | 'recorded'>,
    staleRoots: boolean,
  ): CallDecision {
    if (this.#grounds === undefined || !areSame(this.#grounds, grounds)) {
      this.#made.clear();
      this.#grounds = grounds;
    }
    const { claims } = call;
    const name = call.tool ?? call.method;
    const recorded = call.recorded.tool ?? call.recorded.method;
    const key = `${staleRoots} ${claims.readOnly} ${claims.destructive} ${claims.openWorld} ${name.length} ${name} ${recorded}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const { policies, revision, circumstances, server } = grounds;
    const facts = { ...circumstances, kind: 'call_tool', server, tool: { name, ...claims }, staleRoots } as const;
    const { outcome, policies: ids, policyHash } = policies.decide(facts, revision);
    const decision = { outcome, policies: ids, policyHash };
    this.#onDecided({ facts: { ...facts, tool: { name: recorded, ...claims } }, decision });
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
