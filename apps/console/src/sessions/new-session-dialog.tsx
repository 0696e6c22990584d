import { useReeve, useSessions } from '@reeve/client/react';
import type { BoundaryAccess } from '@reeve/protocol';
import { useCallback, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useResource } from '../data/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Field } from '../ui/field.tsx';
import { AgentChoices } from './agent-choices.tsx';
import { BoundaryPreview } from './boundary-preview.tsx';
import { type SessionDraft, sessionOf } from './session-draft.ts';

/** Starts a session: what runs, where, and what it may touch, seen before anything starts. */
export default function NewSessionDialog({ onClose }: { readonly onClose: () => void }) {
  const reeve = useReeve();
  const [, navigate] = useLocation();
  const places = useId();
  const { resource: agents } = useResource(useCallback(() => reeve.agents.list(), [reeve]));
  const { sessions } = useSessions();
  const [draft, setDraft] = useState<SessionDraft>({
    agent: undefined,
    title: '',
    roots: [{ path: '', access: 'rw' }],
    network: 'agent',
    hosts: '',
    choices: {},
  });
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const change = (part: Partial<SessionDraft>): void => setDraft((now) => ({ ...now, ...part }));
  const agent =
    draft.agent ?? (agents.kind === 'ready' ? agents.value.find((entry) => entry.default)?.name : undefined);
  const known = [...new Set(sessions.map(({ cwd }) => cwd))].slice(0, 50);

  const create = async (): Promise<void> => {
    setBusy(true);
    try {
      const { session } = await reeve.sessions.create(sessionOf({ ...draft, agent }));
      navigate(`/sessions/${encodeURIComponent(session.sessionId)}`);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };

  return (
    <Dialog title="New session" open onOpenChange={onClose} wide>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void create();
        }}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Agent">
            {(wiring) => (
              <select
                {...wiring}
                className="input w-full"
                value={agent ?? ''}
                onChange={({ target }) => change({ agent: target.value, choices: {} })}
              >
                {agents.kind === 'ready' &&
                  agents.value.map(({ name, available }) => (
                    <option key={name} value={name} disabled={!available}>
                      {available ? name : `${name} (not installed)`}
                    </option>
                  ))}
              </select>
            )}
          </Field>
          <Field label="Title (may be left out)">
            {(wiring) => (
              <input
                {...wiring}
                className="input w-full"
                maxLength={1000}
                value={draft.title}
                onChange={({ target }) => change({ title: target.value })}
              />
            )}
          </Field>
        </div>
        {agents.kind === 'failed' && <ErrorNotice what="The agents could not be listed" error={agents.error} />}
        <fieldset className="grid gap-2">
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
                onChange={({ target }) => change({ roots: draft.roots.with(index, { ...root, path: target.value }) })}
              />
              <select
                aria-label={`Access to directory ${index + 1}`}
                className="input"
                value={root.access}
                onChange={({ target }) =>
                  change({ roots: draft.roots.with(index, { ...root, access: target.value as BoundaryAccess }) })
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
            onClick={() => change({ roots: [...draft.roots, { path: '', access: 'ro' }] })}
          >
            Add a directory
          </Button>
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Network">
            {(wiring) => (
              <select
                {...wiring}
                className="input w-full"
                value={draft.network}
                onChange={({ target }) => change({ network: target.value as SessionDraft['network'] })}
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
                  onChange={({ target }) => change({ hosts: target.value })}
                />
              )}
            </Field>
          )}
        </div>
        {agent !== undefined && (
          <AgentChoices agent={agent} choices={draft.choices} onChange={(choices) => change({ choices })} />
        )}
        <BoundaryPreview draft={draft} />
        {failure !== undefined && <ErrorNotice what="The session could not be started" error={failure} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {busy ? 'Starting …' : 'Start'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
