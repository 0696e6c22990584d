import type { PolicyInfo } from '@reeve/protocol';
import { factsShape, type Shape } from './facts-shape.ts';
import type { PolicyFacts } from './policy-facts.ts';
import type { Decision, DecisionStep, Outcome, PolicySet } from './policy-set.ts';

/** One fact that, were it otherwise and all else the same, would lead to another outcome. */
export interface Difference {
  /** `server.sandboxed` */
  readonly fact: string;
  readonly from: string | boolean;
  readonly to: string | boolean;
  readonly outcome: Outcome;
}

export interface ExplainedStep extends Omit<DecisionStep, 'policies'> {
  readonly policies: readonly Pick<PolicyInfo, 'id' | 'reason' | 'effect' | 'file' | 'line'>[];
}

export interface Explanation {
  readonly decision: Decision;
  /** For a person. */
  readonly words: string;
  readonly steps: readonly ExplainedStep[];
  /** In the order of the facts. */
  readonly differences: readonly Difference[];
}

const WORDS: Readonly<Record<Outcome, string>> = {
  allow: 'It is allowed, and nobody is asked.',
  ask_user: 'It is allowed once a user says yes.',
  ask_admin: 'It is allowed once an administrator says yes.',
  deny: 'It is refused, and no approval changes that.',
};

/** Says which policies led to an outcome, and what would lead to another. */
export function explainDecision(set: PolicySet, facts: PolicyFacts): Explanation {
  const decision = set.decide(facts, 0);
  const byId = new Map(set.policies.map((policy) => [policy.id, policy]));
  const steps = decision.steps.map((step) => ({
    ...step,
    policies: step.policies.flatMap((id) => {
      const policy = byId.get(id);
      if (!policy) return [];
      const { text: _, ...shown } = policy;
      return [shown];
    }),
  }));
  const differences = [...variants(facts, factsShape(facts.kind), '')]
    .map(({ changed, ...difference }) => ({
      ...difference,
      outcome: set.decide(changed as unknown as PolicyFacts, 0).outcome,
    }))
    .filter(({ outcome }) => outcome !== decision.outcome);
  return { decision, words: WORDS[decision.outcome], steps, differences };
}

interface Variant extends Omit<Difference, 'outcome'> {
  readonly changed: object;
}

/** The facts with one flag or word changed, in every way. */
function* variants(facts: object, shape: Shape, path: string): Generator<Variant> {
  if (shape.kind !== 'members') return;
  for (const [name, inner] of Object.entries(shape.of)) {
    const value = (facts as Readonly<Record<string, unknown>>)[name];
    const fact = path === '' ? name : `${path}.${name}`;
    if (inner.kind === 'flag')
      yield { fact, from: value === true, to: value !== true, changed: { ...facts, [name]: !value } };
    if (inner.kind === 'word') {
      for (const to of inner.words.filter((one) => one !== value)) {
        yield { fact, from: String(value), to, changed: { ...facts, [name]: to } };
      }
    }
    if (inner.kind === 'members' && typeof value === 'object' && value !== null) {
      for (const { changed, ...variant } of variants(value, inner, fact)) {
        yield { ...variant, changed: { ...facts, [name]: changed } };
      }
    }
  }
}
