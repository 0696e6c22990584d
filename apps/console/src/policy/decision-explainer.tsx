import { useReeve } from '@reeve/client/react';
import { readableJson } from '../data/json-members.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { type Trial, TrialForm } from './trial-form.tsx';

/** Decides one case by the policies in force, and names those that decided. */
export function DecisionExplainer() {
  const reeve = useReeve();
  const explain = async (text: string): Promise<Trial> => {
    let facts: unknown;
    try {
      facts = JSON.parse(text);
    } catch {
      return { kind: 'unfit', problem: 'This is no JSON.' };
    }
    const decision = readableJson(await reeve.policies.explain(facts));
    return {
      kind: 'told',
      told: (
        <CodeBlock label="Decision" className="mt-2">
          {decision}
        </CodeBlock>
      ),
    };
  };
  return (
    <TrialForm
      label="Explain a decision"
      hint="The facts of a case as JSON, as the page on policies describes them."
      verb="Explain"
      failure="The case could not be decided"
      tryOut={explain}
    />
  );
}
