import type { AuditEntry } from '@reeve/client';
import { timeText } from './terminal.ts';

/** A record of the audit log as a row: number, time, kind, session, who, decision, what it says in a few words, its trace. */
export function auditRow({
  seq,
  at,
  kind,
  session,
  by,
  decision,
  facts,
  places = [],
  trace,
}: AuditEntry): readonly unknown[] {
  const words = Object.entries(facts).map(([name, value]) => `${name}=${shown(value)}`);
  if (places.length > 0) words.push(`places=${places.length}`);
  return [seq, timeText(at), kind, session, by, decision, words.join(' '), trace];
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}:${shown(inner)}`)
    .join('/');
}
