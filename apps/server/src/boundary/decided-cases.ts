import type { Decision, PolicyFacts } from '@reeve/policy';
import type { AuditFact } from '../audit/audit-fact.ts';

/** What policies decided, and by which facts. */
export interface DecidedCase {
  readonly facts: PolicyFacts;
  readonly decision: Pick<Decision, 'outcome' | 'policies' | 'policyHash'>;
  /** Id of the request that asked a person, whose yes is among the facts by now. */
  readonly answered?: string | undefined;
}

/**
 * Which cases the audit log has: what policies decide again in a session by the same facts is no news, as long as it is remembered. Facts
 * hold no path (packages/policy).
 */
export class DecidedCases {
  readonly #told = new Set<string>();
  readonly #maxRemembered: number;

  /** @param maxRemembered the oldest is forgotten first, and recorded again when it is decided again; 4,096 unless told */
  constructor(maxRemembered = 4096) {
    this.#maxRemembered = maxRemembered;
  }

  /** What the audit log is to be told of a case; undefined where it has it already. @param of who asks: facts of two sessions may be alike */
  news(
    { facts, decision, answered }: DecidedCase,
    of: string,
  ): ((session: string | undefined) => AuditFact) | undefined {
    const { outcome, policies, policyHash } = decision;
    const key = `${of} ${policyHash} ${JSON.stringify(facts)}`;
    if (this.#told.has(key)) return undefined;
    const oldest = this.#told.size >= this.#maxRemembered ? this.#told.values().next().value : undefined;
    if (oldest !== undefined) this.#told.delete(oldest);
    if (this.#maxRemembered > 0) this.#told.add(key);
    const told = { kind: 'policy.decided', decision: outcome, case: facts, policies, policyHash } as const;
    const cause = answered === undefined ? {} : { request: answered };
    return (session) => ({ ...told, ...cause, ...(session === undefined ? {} : { session }) });
  }
}
