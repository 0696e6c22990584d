import { useReeve } from '@reeve/client/react';
import type { ReviewScope, ServerApprovalInfo } from '@reeve/protocol';
import { networkText } from '../boundary/network-text.ts';
import { useAttempt } from '../data/use-attempt.ts';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { SessionLink } from '../shell/session-link.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';

interface ApprovalListProps {
  readonly approvals: readonly ServerApprovalInfo[];
  readonly onChange: () => void;
}

const SCOPES: Readonly<Record<ReviewScope, string>> = {
  session: 'one session',
  project: 'every session of its project',
  always: 'every session',
};

/** What people decided about servers, to take back. */
export function ApprovalList({ approvals, onChange }: ApprovalListProps) {
  const reeve = useReeve();
  const { busy, attempt } = useAttempt();
  if (approvals.length === 0) return null;
  const forget = (fingerprint: string): void =>
    void attempt(fingerprint, 'It was not forgotten', async () => {
      await reeve.servers.forget(fingerprint);
      onChange();
    });
  return (
    <section aria-labelledby="approvals" className="mt-6">
      <h2 id="approvals" className="mb-2 text-base">
        Decisions
      </h2>
      <ul className="divide-y rounded-lg border bg-surface text-sm shadow-card">
        {approvals.map(
          ({ id, decision, serverName, fingerprint, scope, session, by, at, expiresAt, network, trusted }) => (
            <li key={id} className="flex flex-wrap items-center gap-2 p-3">
              <Badge tone={decision === 'allow' ? 'ok' : 'danger'}>{decision === 'allow' ? 'allowed' : 'denied'}</Badge>
              <span className="font-medium">{exactText(serverName)}</span>
              <Code>{fingerprint}</Code>
              <span className="text-muted">
                {session === undefined ? SCOPES[scope] : <SessionLink id={session} />} · by {visibleText(by)} ·{' '}
                <RelativeTime at={at} /> · network: {networkText(network)}
                {expiresAt !== undefined && (
                  <>
                    {' '}
                    · ends <RelativeTime at={expiresAt} />
                  </>
                )}
                {trusted && ' · what it says of its tools is believed'}
              </span>
              <Button
                small
                kind="danger"
                className="ml-auto"
                busy={busy === fingerprint}
                aria-label={`Forget what was decided about ${serverName}`}
                onClick={() => forget(fingerprint)}
              >
                Forget
              </Button>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}
