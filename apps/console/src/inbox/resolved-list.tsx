import type { RequestInfo } from '@reeve/client';
import { Link } from 'wouter';
import { visibleText } from '../hostile/visible-text.ts';
import { outcomeText } from './outcome-text.ts';
import { requestName } from './request-name.ts';
import { requestTitle } from './request-title.ts';

/** What was settled while somebody looked, here or elsewhere: a card that goes away says why. */
export function ResolvedList({ resolved }: { readonly resolved: readonly RequestInfo[] }) {
  if (resolved.length === 0) return null;
  return (
    <section className="mt-6" aria-labelledby="resolved">
      <h2 id="resolved" className="mb-2 text-sm font-medium text-muted">
        Settled while you looked
      </h2>
      <ul className="grid grid-cols-1 gap-1 text-sm" aria-live="polite">
        {resolved.map((request) => (
          <li key={request.id} className="flex flex-wrap gap-x-2 rounded-md border bg-surface px-3 py-1.5">
            <Link
              href={`/requests/${encodeURIComponent(request.id)}`}
              className="underline underline-offset-2 wrap-anywhere"
            >
              {requestName(request)}: {visibleText(requestTitle(request))}
            </Link>
            <span className="text-muted">{visibleText(outcomeText(request))}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
