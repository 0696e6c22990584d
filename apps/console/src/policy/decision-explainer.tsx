import { useReeve } from '@reeve/client/react';
import { readableJson } from '../data/json-members.ts';
import { DecisionTold } from './decision-told.tsx';
import { EXAMPLE_CASES } from './example-cases.ts';
import { type Trial, TrialForm } from './trial-form.tsx';

const EXAMPLES = EXAMPLE_CASES.map(({ name, facts }) => ({ name, text: readableJson(facts) }));

/** Decides one case by the policies in force, and names those that decided. */
export function DecisionExplainer() {
  const reeve = useReeve();
  const explain = async (text: string): Promise<Trial> => {
    let facts: unknown;
    try {
      facts = JSON.parse(text);
    } catch {
      return { kind: 'unfit', problem: 'This is no JSON. Begin with one of the examples.' };
    }
    return { kind: 'told', told: <DecisionTold explanation={await reeve.policies.explain(facts)} /> };
  };
  return (
    <TrialForm
      label="Explain a decision"
      hint="The facts of a case: begin with an example, and change what is different. Nothing happens but that you are told."
      examples={EXAMPLES}
      verb="Explain"
      failure="The case could not be decided"
      tryOut={explain}
    />
  );
}
