import { useSession } from '@reeve/client/react';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { visibleText } from '../hostile/visible-text.ts';
import { RequestCard } from '../inbox/request-card.tsx';
import { useLookedAt } from '../sessions/use-seen.ts';
import { setPageTitle } from '../shell/page-title.ts';
import { ShownTerminals } from '../tools/shown-terminals.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { Composer } from './composer.tsx';
import { SessionHeader } from './session-header.tsx';
import { SessionPlan } from './session-plan.tsx';
import { SessionStatus } from './session-status.tsx';
import { Timeline, type TimelineHandle } from './timeline.tsx';

/** One session: what happened, what waits, and a place to say what comes next. */
export default function SessionScreen({ id }: { readonly id: string }) {
  const session = useSession(id);
  const { state, info, timeline, requests } = session;
  const handle = useRef<TimelineHandle>(null);
  const title = visibleText(info?.title ?? timeline.title ?? `Session ${id.slice(0, 8)}`);

  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  useLookedAt(info?.sessionId ?? id, timeline.lastSeq);

  if (state.kind === 'failed') {
    return (
      <div className="mx-auto max-w-xl p-6">
        <h1 className="mb-3 text-xl">{title}</h1>
        <ErrorNotice what="The session could not be shown" error={state.error}>
          <Link href="/sessions" className="underline underline-offset-2">
            All sessions
          </Link>
        </ErrorNotice>
      </div>
    );
  }
  return (
    <div className="flex h-full flex-col">
      <SessionHeader title={title} session={session} onJump={(seq) => handle.current?.jump(seq)} />
      {state.kind === 'loading' && timeline.items.length === 0 ? (
        <div className="flex-1">
          <Loading what="the session" />
        </div>
      ) : (
        <ShownTerminals value={timeline.terminals}>
          <Timeline ref={handle} session={session} />
        </ShownTerminals>
      )}
      <footer className="border-t bg-surface">
        <div className="mx-auto grid w-full max-w-4xl gap-2 p-3">
          {requests.length > 0 && (
            <div data-cards className="grid max-h-[50dvh] gap-2 overflow-y-auto">
              {requests.map((request) => (
                <RequestCard key={request.id} request={request} />
              ))}
            </div>
          )}
          {timeline.plan && <SessionPlan plan={timeline.plan} />}
          <SessionStatus session={session} />
          <Composer id={id} session={session} />
        </div>
      </footer>
    </div>
  );
}
