import { useReeve } from '@reeve/client/react';
import { useCallback, useState } from 'react';
import { useLocation } from 'wouter';
import { previewIn, usePreview } from '../boundary/use-preview.ts';
import { useResource } from '../data/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Field } from '../ui/field.tsx';
import { AgentChoices } from './agent-choices.tsx';
import { BoundaryPreviewPanel } from './boundary-preview-panel.tsx';
import { OwnPlace } from './own-place.tsx';
import { ServerChoices } from './server-choices.tsx';
import { EMPTY_DRAFT, previewOf, type SessionDraft, sessionOf } from './session-draft.ts';
import { WorkspacePlace } from './workspace-place.tsx';

/** Starts a session: what runs, where, and what it may touch, seen before anything starts. */
export default function NewSessionDialog({ onClose }: { readonly onClose: () => void }) {
  const reeve = useReeve();
  const [, navigate] = useLocation();
  const { resource: agents } = useResource(useCallback(() => reeve.agents.list(), [reeve]));
  const { resource: workspaces } = useResource(useCallback(() => reeve.workspaces.list(), [reeve]));
  const known = workspaces.kind === 'ready' ? workspaces.value : [];
  const [changed, setDraft] = useState<Partial<SessionDraft>>({});
  const draft: SessionDraft = { ...EMPTY_DRAFT, workspace: known[0], ...changed };
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const change = (part: Partial<SessionDraft>): void => setDraft((now) => ({ ...now, ...part }));
  const agent =
    draft.agent ?? (agents.kind === 'ready' ? agents.value.find((entry) => entry.default)?.name : undefined);
  const asked = agents.kind === 'loading' || workspaces.kind === 'loading' ? undefined : previewOf({ ...draft, agent });
  const state = usePreview(asked);

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
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && state.kind !== 'asking') void create();
        }}
      >
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
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
        {workspaces.kind === 'failed' && (
          <ErrorNotice what="The workspaces could not be listed" error={workspaces.error} />
        )}
        {known.length > 0 && (
          <Field label="Workspace">
            {(wiring) => (
              <select
                {...wiring}
                className="input w-full"
                value={draft.workspace?.name ?? ''}
                onChange={({ target }) =>
                  change({ workspace: known.find(({ name }) => name === target.value), cwd: undefined })
                }
              >
                {known.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
                <option value="">none: directories of your own choice</option>
              </select>
            )}
          </Field>
        )}
        {draft.workspace === undefined ? (
          <OwnPlace draft={draft} onChange={change} />
        ) : (
          <WorkspacePlace workspace={draft.workspace} cwd={draft.cwd} onChange={(cwd) => change({ cwd })} />
        )}
        {agent !== undefined && (
          <AgentChoices agent={agent} choices={draft.choices} onChange={(choices) => change({ choices })} />
        )}
        <ServerChoices draft={draft} preview={previewIn(state)} onChange={change} />
        <BoundaryPreviewPanel state={state} hasWorkspaces={known.length > 0} />
        {failure !== undefined && <ErrorNotice what="The session could not be started" error={failure} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy || state.kind === 'asking'}>
            {busy ? 'Starting …' : 'Start'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
