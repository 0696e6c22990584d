import { useSessions } from '@reeve/client/react';
import type { BoundaryAccess } from '@reeve/protocol';
import { useId } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import type { SessionDraft } from './session-draft.ts';

interface OwnPlaceProps {
  readonly draft: SessionDraft;
  readonly onChange: (part: Partial<SessionDraft>) => void;
}

/** Directories and network of a session that is in no workspace. */
export function OwnPlace({ draft, onChange }: OwnPlaceProps) {
  const places = useId();
  const { sessions } = useSessions();
  const known = [...new Set(sessions.map(({ cwd }) => cwd))].slice(0, 50);
  return (
    <>
      <fieldset className="grid grid-cols-1 gap-2">
        <legend className="mb-1 text-sm font-medium">Directories, the first is where work happens</legend>
        {draft.roots.map((root, index) => (
          <div key={index} className="flex gap-2">
            <input
              aria-label={index === 0 ? 'Working directory' : `Further directory ${index}`}
              className="input min-w-0 flex-1 font-mono"
              placeholder="/home/you/project"
              list={places}
              required={index === 0}
              pattern="/.*"
              title="A whole path on the server, from /"
              value={root.path}
              onChange={({ target }) => onChange({ roots: draft.roots.with(index, { ...root, path: target.value }) })}
            />
            <select
              aria-label={`Access to directory ${index + 1}`}
              className="input"
              value={root.access}
              onChange={({ target }) =>
                onChange({ roots: draft.roots.with(index, { ...root, access: target.value as BoundaryAccess }) })
              }
            >
              <option value="rw">read and write</option>
              <option value="ro">read only</option>
            </select>
          </div>
        ))}
        <datalist id={places}>
          {known.map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
        <Button
          small
          className="justify-self-start"
          onClick={() => onChange({ roots: [...draft.roots, { path: '', access: 'ro' }] })}
        >
          Add a directory
        </Button>
      </fieldset>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field label="Network">
          {(wiring) => (
            <select
              {...wiring}
              className="input w-full"
              value={draft.network}
              onChange={({ target }) => onChange({ network: target.value as SessionDraft['network'] })}
            >
              <option value="agent">what the agent needs</option>
              <option value="none">none</option>
              <option value="hosts">only these hosts</option>
              <option value="full">everything the server reaches</option>
            </select>
          )}
        </Field>
        {draft.network === 'hosts' && (
          <Field label="Hosts" hint="With spaces between: api.example.org 127.0.0.1:8080">
            {(wiring) => (
              <input
                {...wiring}
                className="input w-full font-mono"
                value={draft.hosts}
                onChange={({ target }) => onChange({ hosts: target.value })}
              />
            )}
          </Field>
        )}
      </div>
    </>
  );
}
