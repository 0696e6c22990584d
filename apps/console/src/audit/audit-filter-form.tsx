import type { AuditQuery } from '@reeve/client';
import { Field } from '../ui/field.tsx';

/** As it is typed; empty: any. */
export interface AuditFilter {
  readonly session: string;
  readonly trace: string;
  readonly kind: string;
  readonly decision: string;
  readonly under: string;
  /** Of a `datetime-local` field. */
  readonly since: string;
}

export const NO_FILTER: AuditFilter = { session: '', trace: '', kind: '', decision: '', under: '', since: '' };

export function queryOf(filter: AuditFilter): AuditQuery {
  const { since, ...rest } = filter;
  const filled = Object.entries(rest).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]]));
  return {
    ...Object.fromEntries(filled),
    ...(since === '' ? {} : { since: new Date(since).toISOString() }),
  };
}

interface AuditFilterFormProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

const FIELDS = [
  ['session', 'Session', 'id'],
  ['trace', 'Trace', '32 hex digits'],
  ['kind', 'Kind', 'request.answered'],
  ['decision', 'Decision', 'allow'],
  ['under', 'Path, and below it', '/home/you/project'],
] as const;

/** Which records are meant: all that is filled in must hold. */
export function AuditFilterForm({ filter, onChange }: AuditFilterFormProps) {
  return (
    <search className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      {FIELDS.map(([name, label, example]) => (
        <Field key={name} label={label}>
          {(wiring) => (
            <input
              {...wiring}
              className="input w-full"
              placeholder={example}
              value={filter[name]}
              onChange={({ target }) => onChange({ ...filter, [name]: target.value })}
            />
          )}
        </Field>
      ))}
      <Field label="Since">
        {(wiring) => (
          <input
            {...wiring}
            type="datetime-local"
            className="input w-full"
            value={filter.since}
            onChange={({ target }) => onChange({ ...filter, since: target.value })}
          />
        )}
      </Field>
    </search>
  );
}
