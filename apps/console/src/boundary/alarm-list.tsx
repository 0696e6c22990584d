import { useReeve } from '@reeve/client/react';
import { useCallback } from 'react';
import { Link } from 'wouter';
import { readableJson, textMember } from '../data/json-members.ts';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { RelativeTime } from '../ui/relative-time.tsx';

interface AlarmListProps {
  /** Of one session alone. */
  readonly session?: string;
}

/** What tried to reach further than it may, newest first. */
export function AlarmList({ session }: AlarmListProps) {
  const reeve = useReeve();
  const { resource } = useResource(useCallback(() => reeve.alarms({ session, limit: 20 }), [reeve, session]));
  if (resource.kind !== 'ready' || resource.value.alarms.length === 0) return null;
  return (
    <section aria-labelledby="alarms" className="mb-6 rounded-lg border border-danger bg-danger-soft p-3 text-sm">
      <h2 id="alarms" className="mb-1 text-base text-danger">
        Alarms
      </h2>
      <ul className="grid gap-1">
        {resource.value.alarms.map((alarm, index) => {
          const { at, sessionId } = alarm as { readonly at?: number; readonly sessionId?: string };
          return (
            <li key={index} className="flex flex-wrap gap-x-3">
              {at !== undefined && <RelativeTime at={at} />}
              <span className="wrap-anywhere">
                {visibleText(textMember(alarm, 'message') ?? textMember(alarm, 'kind') ?? readableJson(alarm))}
              </span>
              {!session && sessionId && (
                <Link href={`/boundaries/${encodeURIComponent(sessionId)}`} className="underline">
                  its session
                </Link>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
