import { useBoundary, useReeve, useSession } from '@reeve/client/react';
import type { ChangedBoundary } from '@reeve/protocol';
import { useState } from 'react';
import { Link } from 'wouter';
import { useAttempt } from '../data/use-attempt.ts';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Screen } from '../ui/screen.tsx';
import { AlarmList } from './alarm-list.tsx';
import { type BoundaryActions, BoundaryMatrix } from './boundary-matrix.tsx';
import { ChangeOutcome } from './change-outcome.tsx';
import { EnforcementFacts } from './enforcement-facts.tsx';
import { GrantForm } from './grant-form.tsx';
import { LastVerified } from './last-verified.tsx';
import { networkText } from './network-text.ts';
import { PathCheck } from './path-check.tsx';

/** The boundary of one session: who may touch what, how that is held, and the ways to take something away. */
export default function BoundaryScreen({ id }: { readonly id: string }) {
  const reeve = useReeve();
  const { info } = useSession(id);
  const { state, boundary: reported, standing: boundary, refresh } = useBoundary(id);
  const { busy, attempt } = useAttempt();
  const [outcome, setOutcome] = useState<ChangedBoundary>();

  const change = (name: string, act: () => Promise<ChangedBoundary>): void =>
    void attempt(name, 'The boundary was not changed', async () => {
      setOutcome(await act());
      refresh();
    });
  const actions: BoundaryActions = {
    busy,
    revoke: (path, server) => change(`${path} ${server ?? ''}`, () => reeve.boundaries.revoke(id, path, server)),
    narrow: (path) =>
      change(path, () =>
        reeve.boundaries.narrow(id, {
          roots: (boundary?.roots ?? []).map((root) => (root.path === path ? { ...root, access: 'ro' } : root)),
        }),
      ),
    grant: (path, access, server) =>
      change(`${path} ${server}`, () => reeve.grants.create({ session: id, server, path, access })),
  };
  const title = visibleText(info?.title ?? `Session ${id.slice(0, 8)}`);

  return (
    <Screen
      title={`Boundary of ${title}`}
      lead={boundary && `Revision ${boundary.revision}${boundary.live ? '' : ' · no process runs now'}`}
      actions={
        <Link href={`/sessions/${encodeURIComponent(id)}`} className="underline underline-offset-2">
          To the session
        </Link>
      }
    >
      {state.kind === 'failed' && (
        <ErrorNotice what="The boundary could not be shown" error={state.error} onRetry={refresh} />
      )}
      {state.kind !== 'failed' && !boundary && <Loading what="the boundary" />}
      <AlarmList session={id} />
      {boundary && (
        <div className="grid grid-cols-1 gap-5">
          <BoundaryMatrix boundary={boundary} actions={actions} />
          {outcome && <ChangeOutcome outcome={outcome} />}
          <p className="text-sm">
            <span className="text-muted">Network of the agent: </span>
            {networkText(boundary.network ?? reported?.network)}
          </p>
          <EnforcementFacts
            name="The agent"
            enforcement={reported?.enforcement.agent ?? info?.enforcement}
            absent="No agent process runs: there is nothing to hold. The next prompt starts one."
          />
          {Object.entries(reported?.enforcement.servers ?? {}).map(([name, enforcement]) => (
            <EnforcementFacts key={name} name={`Server ${exactText(name)}`} enforcement={enforcement} absent="" />
          ))}
          <LastVerified sessionId={id} revision={boundary.revision} />
          <PathCheck sessionId={id} />
          <GrantForm
            boundary={boundary}
            busy={busy === 'give'}
            onGrant={(grant) => change('give', () => reeve.grants.create({ session: id, ...grant }))}
          />
        </div>
      )}
    </Screen>
  );
}
