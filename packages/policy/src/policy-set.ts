import type { PolicyFile, PolicyInfo, PolicyProblem } from '@reeve/protocol';
import { type Cedar, loadCedar } from './cedar.ts';
import { type Approval, cedarRequest } from './cedar-request.ts';
import { checkPolicies } from './check-policies.ts';
import type { PolicyFacts } from './policy-facts.ts';
import { POLICY_SCHEMA } from './policy-schema.ts';

/** What is to be done: at once, not at all, or after a user or an administrator said yes. */
export type Outcome = 'allow' | 'deny' | 'ask_user' | 'ask_admin';

/** What policies say with one approval. */
export interface DecisionStep {
  readonly approval: Approval;
  readonly allowed: boolean;
  /** Ids: those that permit where it is allowed, those that forbid where not; none where no policy permits. */
  readonly policies: readonly string[];
}

export interface Decision {
  readonly outcome: Outcome;
  /** Ids of all policies that led to it, each once: those that forbid without approval, and those that decide in the end. */
  readonly policies: readonly string[];
  readonly policyHash: string;
  /** Without approval first; the last is the one that decides. */
  readonly steps: readonly DecisionStep[];
  /** Ids of policies that could not be evaluated; with any of them nothing is allowed. */
  readonly failed: readonly string[];
}

/** Policies that were checked, ready to decide. Deciding is synchronous and does no I/O. */
export interface PolicySet extends Disposable {
  /** SHA-256 of schema and policies, `sha256:` and hexadecimal digits: two sets with the same hash decide the same. */
  readonly hash: string;
  readonly policies: readonly PolicyInfo[];
  /** Remembered by revision and facts. @param revision of the boundary that the facts were taken under */
  decide(facts: PolicyFacts, revision: number): Decision;
}

export type OpenedPolicies =
  | { readonly kind: 'opened'; readonly set: PolicySet; readonly warnings: readonly PolicyProblem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly PolicyProblem[] };

export interface PolicySetOptions {
  /** Decisions that are remembered; the oldest is forgotten first. 4,096 unless told; 0 remembers none. */
  readonly maxRemembered?: number;
}

/** Checks policies and makes them ready. Whoever opens a set disposes of it. Files count in their order, all together. */
export async function openPolicies(
  files: readonly PolicyFile[],
  { maxRemembered = 4096 }: PolicySetOptions = {},
): Promise<OpenedPolicies> {
  const cedar = await loadCedar();
  const { policies, problems } = checkPolicies(cedar, files);
  if (problems.some(({ kind }) => kind === 'error')) return { kind: 'invalid', problems };
  const hash = await hashOf(policies);
  return { kind: 'opened', set: readySet(cedar, policies, hash, maxRemembered), warnings: problems };
}

function readySet(cedar: Cedar, policies: readonly PolicyInfo[], hash: string, maxRemembered: number): PolicySet {
  const setId = crypto.randomUUID();
  cedar.preparsePolicySet(setId, { staticPolicies: Object.fromEntries(policies.map(({ id, text }) => [id, text])) });
  const remembered = new Map<string, Decision>();
  return {
    hash,
    policies,
    decide(facts, revision) {
      const key = `${revision} ${JSON.stringify(facts)}`;
      const known = remembered.get(key);
      if (known) return known;
      const decision = evaluate(cedar, setId, hash, facts);
      const oldest = remembered.size >= maxRemembered ? remembered.keys().next().value : undefined;
      if (oldest !== undefined) remembered.delete(oldest);
      if (maxRemembered > 0) remembered.set(key, decision);
      return decision;
    },
    [Symbol.dispose]() {
      remembered.clear();
      // Cedar keeps a set for good: an empty one costs nothing, and permits nothing.
      cedar.preparsePolicySet(setId, { staticPolicies: '' });
    },
  };
}

const OUTCOMES: Readonly<Record<Approval, Outcome>> = { none: 'allow', user: 'ask_user', administrator: 'ask_admin' };

/** Without approval, with a user's, with an administrator's: the first that is allowed (boundary, section 3). */
function evaluate(cedar: Cedar, preparsedPolicySetId: string, policyHash: string, facts: PolicyFacts): Decision {
  const { context, ...request } = cedarRequest(facts);
  const steps: DecisionStep[] = [];
  const failed = new Set<string>();
  for (const approval of ['none', 'user', 'administrator'] as const) {
    const answer = cedar.statefulIsAuthorized({
      ...request,
      context: context(approval),
      preparsedPolicySetId,
      validateRequest: false,
    });
    if (answer.type === 'failure') {
      throw new Error(`policies could not be evaluated: ${answer.errors.map(({ message }) => message).join('; ')}`);
    }
    const { decision, diagnostics } = answer.response;
    for (const { policyId } of diagnostics.errors) failed.add(policyId);
    // A forbidding policy that fails would otherwise be passed over.
    const allowed = decision === 'allow' && diagnostics.errors.length === 0;
    steps.push({ approval, allowed, policies: decision === 'allow' && !allowed ? [] : diagnostics.reason.toSorted() });
    if (allowed) break;
  }
  const last = steps.at(-1);
  const outcome = last?.allowed ? OUTCOMES[last.approval] : 'deny';
  const ids = [...new Set([...steps.flatMap((step) => step.policies), ...failed])];
  return Object.freeze({ outcome, policies: ids, policyHash, steps, failed: [...failed] });
}

async function hashOf(policies: readonly PolicyInfo[]): Promise<string> {
  const content = JSON.stringify([POLICY_SCHEMA, policies.map(({ id, text }) => [id, text])]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  const digits = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `sha256:${digits.join('')}`;
}
