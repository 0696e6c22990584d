import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Field } from '../ui/field.tsx';

interface SignInPageProps {
  readonly problem: string | undefined;
  readonly onToken: (token: string) => Promise<void>;
}

/** Asks for the server's token. */
export function SignInPage({ problem, onToken }: SignInPageProps) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    await onToken(token.trim());
    setBusy(false);
  };
  return (
    <main className="grid min-h-full place-items-center p-4">
      <form
        className="w-full max-w-md rounded-lg border bg-surface p-6 shadow-card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="mb-4 flex items-center gap-3">
          <img src="/icon.svg" alt="" className="size-8" />
          <h1 className="text-xl">Sign in to Reeve</h1>
        </div>
        <Field
          label="Token"
          hint={
            <>
              In the file <Code>token</Code> of the server’s data directory; <Code>~/.local/share/reeve/token</Code>{' '}
              unless it was told another.
            </>
          }
          problem={problem}
        >
          {(wiring) => (
            <input
              {...wiring}
              type="password"
              autoComplete="off"
              spellCheck={false}
              required
              className="input w-full font-mono"
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" className="mt-4 w-full" busy={busy}>
          Sign in
        </Button>
        <p className="mt-4 text-sm text-muted">
          The browser keeps the token as long as a tab of this page is open. Nothing is sent elsewhere.
        </p>
      </form>
    </main>
  );
}
