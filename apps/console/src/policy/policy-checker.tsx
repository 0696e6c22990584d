import { useReeve } from '@reeve/client/react';
import { PolicyProblems } from './policy-problems.tsx';
import { TrialForm } from './trial-form.tsx';

const EXAMPLE = `// Calls that only read need nobody's yes.
@id("reading")
permit (principal, action == Action::"call_tool", resource)
when { context.tool.readOnly };
`;

/** Checks policies that are not in force. Nothing is changed. */
export function PolicyChecker() {
  const reeve = useReeve();
  return (
    <TrialForm
      label="Check policies (Cedar)"
      hint="Nothing is changed: policies come from the files of the configuration."
      examples={[{ name: 'An example', text: EXAMPLE }]}
      verb="Check"
      failure="The policies could not be checked"
      tryOut={async (text) => {
        const check = await reeve.policies.check([{ name: 'typed.cedar', text }]);
        return { kind: 'told', told: <PolicyProblems check={check} /> };
      }}
    />
  );
}
