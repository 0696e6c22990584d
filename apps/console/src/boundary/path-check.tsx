import { useReeve } from '@reeve/client/react';
import type { PathCheckInfo } from '@reeve/protocol';
import { useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { AccessBadge } from '../ui/access-badge.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { Field } from '../ui/field.tsx';

/** Asks what a path may be used for, and by whom. */
export function PathCheck({ sessionId }: { readonly sessionId: string }) {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  const [path, setPath] = useState('');
  const [answer, setAnswer] = useState<PathCheckInfo>();
  const check = (): Promise<void> =>
    attempt('check', 'The path could not be checked', async () =>
      setAnswer(await reeve.boundaries.check(sessionId, path)),
    );
  return (
    <form
      className="rounded-lg border bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void check();
      }}
    >
      <Field label="May a path be touched?">
        {(wiring) => (
          <div className="flex gap-2">
            <input
              {...wiring}
              required
              className="input min-w-0 flex-1 font-mono"
              placeholder="/home/you/project/file"
              value={path}
              onChange={({ target }) => setPath(target.value)}
            />
            <Button type="submit" busy={busy !== undefined}>
              Check
            </Button>
          </div>
        )}
      </Field>
      {answer && (
        <div role="status" className="mt-2 grid gap-1 text-sm">
          <p className="flex flex-wrap items-center gap-2">
            <Code>{answer.canonical ?? answer.path}</Code> agent:{' '}
            {answer.agent === 'none' ? <Badge tone="danger">may not</Badge> : <AccessBadge access={answer.agent} />}
            {answer.servers.map(({ server, access }) => (
              <span key={server} className="flex items-center gap-1">
                {exactText(server)}:{' '}
                {access === 'none' ? <Badge tone="danger">may not</Badge> : <AccessBadge access={access} />}
              </span>
            ))}
          </p>
          {answer.reason && <p>{visibleText(answer.reason)}</p>}
          {answer.next && <p className="text-muted">{visibleText(wayHere(answer.next))}</p>}
        </div>
      )}
    </form>
  );
}

/** What this screen has in place of the commands that the server advises. */
function wayHere(next: string): string {
  if (next.includes('reeve roots approve')) return 'It can be given below: what is risky about it is said first.';
  if (next.includes('reeve roots request')) return 'It can be given to the server in the table above.';
  return next;
}
