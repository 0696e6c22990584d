import { useReeve } from '@reeve/client/react';
import { useCallback } from 'react';
import { useResource } from '../data/use-resource.ts';
import { SessionLink } from '../shell/session-link.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { alarmText } from './alarm-text.ts';

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
      <ul className="grid grid-cols-1 gap-1">
        {resource.value.alarms.map((alarm) => (
          <li key={alarm.seq} className="flex flex-wrap gap-x-3">
            <RelativeTime at={alarm.at} />
            <span className="wrap-anywhere">{alarmText(alarm)}</span>
            {!session && alarm.session && <SessionLink id={alarm.session} to="boundaries" />}
          </li>
        ))}
      </ul>
    </section>
  );
}
