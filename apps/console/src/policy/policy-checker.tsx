import { useReeve } from '@reeve/client/react';
import type { PolicyCheckInfo } from '@reeve/protocol';
import { useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { PolicyProblems } from './policy-problems.tsx';

/** Checks policies that are not in force. Nothing is changed. */
export function PolicyChecker() {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  const [text, setText] = useState('');
  const [check, setCheck] = useState<PolicyCheckInfo>();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void attempt('check', 'The policies could not be checked', async () =>
          setCheck(await reeve.policies.check([{ name: 'typed.cedar', text }])),
        );
      }}
    >
      <Field
        label="Check policies (Cedar)"
        hint="Nothing is changed: policies come from the files of the configuration."
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
        Check
      </Button>
      {check && <PolicyProblems check={check} />}
    </form>
  );
}
