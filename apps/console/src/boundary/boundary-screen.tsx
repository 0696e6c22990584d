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
import type { BoundaryActions } from './boundary-actions.ts';
import { BoundaryMatrix } from './boundary-matrix.tsx';
import { ChangeOutcome, type EndedWork } from './change-outcome.tsx';
import { EnforcementFacts } from './enforcement-facts.tsx';
import { GrantForm } from './grant-form.tsx';
import { HighRiskDialog, type RiskyGrant } from './high-risk-dialog.tsx';
import { LastVerified } from './last-verified.tsx';
import { networkText } from './network-text.ts';
import { PathCheck } from './path-check.tsx';

/** The boundary of one session: who may touch what, how that is held, and the ways to take something away. */
export default function BoundaryScreen({ id }: { readonly id: string }) {
  const reeve = useReeve();
  const { info, requests } = useSession(id);
  const { state, boundary: reported, standing: boundary, refresh } = useBoundary(id);
  const { busy, attempt } = useAttempt();
  const [outcome, setOutcome] = useState<{ readonly is: ChangedBoundary; readonly ended: EndedWork | undefined }>();
  const [risky, setRisky] = useState<RiskyGrant>();
  const runs = (reported?.enforcement.agent ?? info?.enforcement) !== undefined;
  const hadTurn = info?.state === 'running' || info?.state === 'waiting';
  const asked = requests.filter(({ kind }) => kind !== 'review').length;

  const change = (name: string, act: () => Promise<ChangedBoundary>, ended?: EndedWork): void =>
    void attempt(name, 'The boundary was not changed', async () => {
      setOutcome({ is: await act(), ended });
      refresh();
    });
  /** What is taken from the agent itself ends its process. */
  const take = (name: string, act: () => Promise<ChangedBoundary>): void =>
    change(name, act, runs ? { hadTurn, asked } : undefined);
  const give = ({ path, access, server }: Pick<RiskyGrant, 'path' | 'access' | 'server'>): void =>
    change(server === undefined ? 'give' : `${path} ${server}`, () =>
      reeve.grants.create({ session: id, path, access, ...(server === undefined ? {} : { server }) }),
    );
  const giveOrAsk = (grant: RiskyGrant): void => (grant.highRisk ? setRisky(grant) : give(grant));
  const actions: BoundaryActions = {
    busy,
    revoke: (path, server) =>
      (server === undefined ? take : change)(`${path} ${server ?? ''}`, () =>
        reeve.boundaries.revoke(id, path, server),
      ),
    narrow: (path) =>
      take(path, () =>
        reeve.boundaries.narrow(id, {
          roots: (boundary?.roots ?? []).map((root) => (root.path === path ? { ...root, access: 'ro' } : root)),
        }),
      ),
    grant: ({ root: { path, access }, risks, highRisk, why }, server) =>
      giveOrAsk({ path, access, server, risks, highRisk, why }),
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
        <ErrorNotice what="The boundary could not be shown" error={state.error} onRetry={refresh}>
          <Link href="/boundaries" className="underline underline-offset-2">
            All boundaries
          </Link>
        </ErrorNotice>
      )}
      {state.kind !== 'failed' && !boundary && <Loading what="the boundary" />}
      <AlarmList session={id} />
      {boundary && (
        <div className="grid grid-cols-1 gap-5">
          {hadTurn && (
            <p className="rounded-md border border-warn bg-warn-soft p-2 text-sm">
              A turn is under way. Taking something from the agent, or making it read-only, ends the agent process: the
              turn ends with it, and what it asks of you is void.
            </p>
          )}
          <BoundaryMatrix boundary={boundary} actions={actions} />
          {outcome && <ChangeOutcome outcome={outcome.is} ended={outcome.ended} />}
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
          <LastVerified sessionId={id} revision={boundary.revision} isRunning={runs} />
          <PathCheck sessionId={id} />
          <GrantForm boundary={boundary} busy={busy === 'give'} onGrant={giveOrAsk} />
          {risky && <HighRiskDialog grant={risky} onClose={() => setRisky(undefined)} onGive={() => give(risky)} />}
        </div>
      )}
    </Screen>
  );
}
