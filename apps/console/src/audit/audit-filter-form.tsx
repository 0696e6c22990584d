import type { AuditQuery } from '@reeve/client';
import { useReeve, useSessions } from '@reeve/client/react';
import { type ReactNode, useCallback, useId } from 'react';
import { useResource } from '../data/use-resource.ts';
import { visibleText } from '../hostile/visible-text.ts';
import { Field } from '../ui/field.tsx';
import { RECORD_KINDS } from './record-kinds.ts';

/** As it is typed; empty: any. */
export interface AuditFilter {
  readonly session: string;
  /** Name or fingerprint of an MCP server. */
  readonly server: string;
  readonly trace: string;
  readonly kind: string;
  readonly decision: string;
  readonly under: string;
  /** Of a `datetime-local` field. */
  readonly since: string;
}

export const NO_FILTER: AuditFilter = {
  session: '',
  server: '',
  trace: '',
  kind: '',
  decision: '',
  under: '',
  since: '',
};

export function queryOf(filter: AuditFilter): AuditQuery {
  const { since, ...rest } = filter;
  const filled = Object.entries(rest).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]]));
  return {
    ...Object.fromEntries(filled),
    ...(since === '' ? {} : { since: new Date(since).toISOString() }),
  };
}

/** What records have decided (docs/audit.md). */
const DECISIONS: readonly (readonly [decision: string, words: string])[] = [
  ['allow', 'allowed'],
  ['deny', 'denied'],
  ['ask_user', 'a person is asked'],
  ['ask_admin', 'an administrator is asked'],
  ['answered', 'answered'],
  ['rejected', 'turned down'],
  ['cancelled', 'cancelled'],
  ['void', 'nobody left to be answered'],
];

interface AuditFilterFormProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

/** Which records are meant: all that is filled in must hold. */
export function AuditFilterForm({ filter, onChange }: AuditFilterFormProps) {
  const set = (name: keyof AuditFilter) => (value: string) => onChange({ ...filter, [name]: value });
  const { sessions } = useSessions();
  const titles = sessions.map(
    ({ sessionId, title }) => [sessionId, title ?? `Session ${sessionId.slice(0, 8)}`] as const,
  );
  // One that is deleted, or too old for the list.
  const unlisted = filter.session !== '' && titles.every(([id]) => id !== filter.session);
  return (
    <search className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-4">
      <Choice label="Session" value={filter.session} onChange={set('session')}>
        {unlisted && <option value={filter.session}>{`Session ${filter.session.slice(0, 8)}`}</option>}
        <Options of={titles} />
      </Choice>
      <ServerField value={filter.server} onChange={set('server')} />
      <Choice label="Kind" value={filter.kind} onChange={set('kind')}>
        {RECORD_KINDS.map(([group, kinds]) => (
          <optgroup key={group} label={group}>
            <Options of={kinds} />
          </optgroup>
        ))}
      </Choice>
      <Choice label="Decision" value={filter.decision} onChange={set('decision')}>
        <Options of={DECISIONS} />
      </Choice>
      <Typed label="Path, and below it" example="/home/you/project" value={filter.under} onChange={set('under')} />
      <Typed label="Trace" example="32 hex digits" value={filter.trace} onChange={set('trace')} />
      <Typed label="Since" type="datetime-local" value={filter.since} onChange={set('since')} />
    </search>
  );
}

interface PartProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, onChange, children }: PartProps & { readonly children: ReactNode }) {
  return (
    <Field label={label}>
      {(wiring) => (
        <select {...wiring} className="input w-full" value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">any</option>
          {children}
        </select>
      )}
    </Field>
  );
}

function Options({ of }: { readonly of: readonly (readonly [value: string, words: string])[] }) {
  return of.map(([value, words]) => (
    <option key={value} value={value}>
      {visibleText(words)}
    </option>
  ));
}

interface TypedProps extends PartProps {
  readonly example?: string;
  readonly type?: 'text' | 'datetime-local';
  /** Id of a list of what may be meant. */
  readonly list?: string;
}

function Typed({ label, value, onChange, example, type = 'text', list }: TypedProps) {
  return (
    <Field label={label}>
      {(wiring) => (
        <input
          {...wiring}
          type={type}
          list={list}
          className="input w-full"
          placeholder={example}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** Servers come and go, and the log has those that went: a name is typed, with those that are known to choose from. */
function ServerField({ value, onChange }: Omit<PartProps, 'label'>) {
  const reeve = useReeve();
  const { resource } = useResource(useCallback(() => reeve.servers.list(), [reeve]));
  const list = useId();
  const known = resource.kind === 'ready' ? resource.value : { servers: [], approvals: [] };
  const names = new Set([...known.servers.map(({ name }) => name), ...known.approvals.map((one) => one.serverName)]);
  return (
    <>
      <Typed label="MCP server" example="name or sha256:…" value={value} onChange={onChange} list={list} />
      <datalist id={list}>
        {[...names].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
