import type { RequestInfo } from '@reeve/client';
import { useId } from 'react';
import { Link } from 'wouter';
import { Badge } from '../ui/badge.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { ShownWhole } from '../ui/shown-whole.ts';
import { RequestBody } from './request-body.tsx';
import { requestName } from './request-name.ts';
import { SessionFacts } from './session-facts.tsx';
import { useAnswer } from './use-answer.ts';

interface RequestCardProps {
  readonly request: RequestInfo;
  /** Says which session asks; a card in that session need not. */
  readonly withSession?: boolean;
}

/** One thing that somebody must decide, with all that is needed for it. */
export function RequestCard({ request, withSession }: RequestCardProps) {
  const title = useId();
  const answering = useAnswer(request);
  return (
    <article
      tabIndex={-1}
      aria-labelledby={title}
      data-request={request.id}
      // What has the focus is not left behind the bar with the answers.
      className="scroll-m-4 rounded-lg border bg-surface shadow-card focus:outline-2 focus:outline-accent [&_:is(a,button,input,select,textarea,[tabindex])]:scroll-mb-28"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-2 text-sm text-muted">
        <Badge tone="accent">{requestName(request)}</Badge>
        {withSession && <SessionFacts sessionId={request.sessionId} />}
        <span className="ml-auto flex items-center gap-3">
          <RelativeTime at={request.createdAt} />
          <Link href={`/requests/${encodeURIComponent(request.id)}`} className="underline underline-offset-2">
            Link
          </Link>
        </span>
      </header>
      <div className="grid grid-cols-1 gap-3 p-4">
        <ShownWhole value={true}>
          <RequestBody request={request} titleId={title} answering={answering} />
        </ShownWhole>
      </div>
    </article>
  );
}
