import type { AuditVerdict } from '@reeve/client';
import { useReeve } from '@reeve/client/react';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useAttempt } from '../data/use-attempt.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Lets the server check its own log, and tells what it found. */
export function VerifyButton() {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  const [verdict, setVerdict] = useState<AuditVerdict>();
  return (
    <>
      <Button
        busy={busy !== undefined}
        onClick={() =>
          void attempt('verify', 'The log could not be checked', async () => setVerdict(await reeve.audit.verify()))
        }
      >
        <ShieldCheck aria-hidden className="size-4" /> Verify
      </Button>
      {verdict && (
        <Dialog title="Check of the log" open onOpenChange={() => setVerdict(undefined)}>
          <p className={`text-lg ${verdict.kind === 'intact' ? 'text-ok' : 'text-danger'}`}>
            {verdict.kind === 'intact' ? 'The log is intact.' : 'The log is damaged.'}
          </p>
          <p className="text-sm text-muted">
            {verdict.records} records were checked; {verdict.covered} are covered by a signed checkpoint.
          </p>
          <ul className="mt-2 grid gap-1 text-sm">
            {verdict.problems.map(({ message }, index) => (
              <li key={index} className="text-danger">
                {message}
              </li>
            ))}
            {verdict.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
          <p className="mt-3 text-sm text-muted">
            A server that lies can lie about this too: export the log and check it elsewhere with{' '}
            <code>reeve audit verify</code>.
          </p>
        </Dialog>
      )}
    </>
  );
}
