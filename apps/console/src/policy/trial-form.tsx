import { type ReactNode, useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

export type Trial =
  /** To be shown below the text. */
  | { readonly kind: 'told'; readonly told: ReactNode }
  /** The text is not what is asked for: what to do about it. */
  | { readonly kind: 'unfit'; readonly problem: string };

interface TrialFormProps {
  readonly label: string;
  readonly hint: string;
  /** Texts to begin with; the first stands there at once. */
  readonly examples?: readonly { readonly name: string; readonly text: string }[];
  /** On the button: "Check". */
  readonly verb: string;
  /** What to say where the server could not be asked. */
  readonly failure: string;
  readonly tryOut: (text: string) => Promise<Trial>;
}

/** A text that somebody tries out on the server, without a change, and what came of it. */
export function TrialForm({ label, hint, examples = [], verb, failure, tryOut }: TrialFormProps) {
  const { busy, attempt } = useAttempt();
  const [text, setText] = useState(examples[0]?.text ?? '');
  const [trial, setTrial] = useState<Trial>();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(verb, failure, async () => setTrial(await tryOut(text)));
      }}
    >
      {examples.length > 0 && (
        <p className="mb-2 flex flex-wrap gap-2">
          {examples.map(({ name, text: example }) => (
            <Button key={name} small onClick={() => setText(example)}>
              {name}
            </Button>
          ))}
        </p>
      )}
      <Field label={label} hint={hint} problem={trial?.kind === 'unfit' ? trial.problem : undefined}>
        {(wiring) => (
          <textarea
            {...wiring}
            required
            rows={examples.length > 0 ? 12 : 5}
            spellCheck={false}
            className="input w-full font-mono text-sm"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Button type="submit" className="mt-2" busy={busy !== undefined}>
        {verb}
      </Button>
      {trial?.kind === 'told' && trial.told}
    </form>
  );
}
