import { useReeve } from '@reeve/client/react';
import { useState } from 'react';
import { readableJson } from '../data/json-members.ts';
import { useAttempt } from '../data/use-attempt.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Field } from '../ui/field.tsx';

/** Decides one case by the policies in force, and names those that decided. */
export function DecisionExplainer() {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [decision, setDecision] = useState<unknown>();
  const explain = (): void => {
    let facts: unknown;
    try {
      facts = JSON.parse(text);
      setProblem(undefined);
    } catch {
      setProblem('This is no JSON.');
      return;
    }
    void attempt('explain', 'The case could not be decided', async () =>
      setDecision(await reeve.policies.explain(facts)),
    );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        explain();
      }}
    >
      <Field
        label="Explain a decision"
        hint="The facts of a case as JSON, as the page on policies describes them."
        problem={problem}
      >
        {(wiring) => (
          <textarea
            {...wiring}
            required
            rows={5}
            spellCheck={false}
            className="input w-full font-mono text-sm"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Button type="submit" className="mt-2" busy={busy !== undefined}>
        Explain
      </Button>
      {decision !== undefined && (
        <CodeBlock label="Decision" className="mt-2">
          {readableJson(decision)}
        </CodeBlock>
      )}
    </form>
  );
}
