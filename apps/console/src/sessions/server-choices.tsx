import type { BoundaryPreview, PreviewedServer } from '@reeve/client';
import { partText } from '@reeve/protocol';
import { Plus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { commandText } from '../boundary/command-text.ts';
import { OutcomeBadge } from '../boundary/outcome-badge.tsx';
import { exactText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Code } from '../ui/code.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { AddedServerForm } from './added-server-form.tsx';
import type { SessionDraft } from './session-draft.ts';

interface ServerChoicesProps {
  readonly draft: SessionDraft;
  /** Undefined while nobody knows which there are. */
  readonly preview: BoundaryPreview | undefined;
  readonly onChange: (part: Partial<SessionDraft>) => void;
}

const ORIGINS: Readonly<Record<string, string>> = {
  client: 'added here',
  configuration: 'from the configuration',
  workspace: 'proposed by the project',
};

/** The MCP servers of the session: those of the configuration and those that the project proposes, each on or off, and others by hand. */
export function ServerChoices({ draft, preview, onChange }: ServerChoicesProps) {
  const [adding, setAdding] = useState(false);
  const { servers, serversOff } = draft;
  const turn = (name: string, on: boolean): void =>
    onChange({ serversOff: on ? serversOff.filter((one) => one !== name) : [...serversOff, name] });
  const whole = useRef<HTMLFieldSetElement>(null);
  const change = (part: Partial<SessionDraft>): void => {
    // What was pressed goes: the keyboard stays where it was.
    whole.current?.focus();
    onChange(part);
  };
  const remove = (name: string): void => change({ servers: servers.filter((one) => one.name !== name) });
  const shown = preview?.servers ?? [];
  const unknown = servers.filter(({ name }) => shown.every(({ identity }) => identity.name !== name));
  return (
    <fieldset ref={whole} tabIndex={-1} className="grid grid-cols-1 gap-2 outline-none">
      <legend className="mb-1 text-sm font-medium">MCP servers</legend>
      {preview && shown.length + unknown.length === 0 && <p className="text-sm text-muted">None.</p>}
      <ul className="grid grid-cols-1 gap-2" aria-label="MCP servers of the session">
        {shown.map((server) => (
          <ServerChoice
            key={server.identity.name}
            server={server}
            on={server.identity.origin === 'client' || !serversOff.includes(server.identity.name)}
            onTurn={(on) => turn(server.identity.name, on)}
            onRemove={server.identity.origin === 'client' ? () => remove(server.identity.name) : undefined}
          />
        ))}
        {unknown.map(({ name }) => (
          <li key={name} className="flex items-center justify-between gap-2 rounded-md border p-2 text-sm">
            <span className="font-medium wrap-anywhere">{exactText(name)}</span>
            <IconButton icon={X} label={`Remove ${exactText(name)}`} onClick={() => remove(name)} />
          </li>
        ))}
      </ul>
      {adding ? (
        <AddedServerForm
          taken={servers.map(({ name }) => name)}
          onAdd={(server) => {
            change({ servers: [...servers, server] });
            setAdding(false);
          }}
          onCancel={() => {
            change({});
            setAdding(false);
          }}
        />
      ) : (
        <Button small className="justify-self-start" onClick={() => setAdding(true)}>
          <Plus aria-hidden className="size-4" /> Add a server
        </Button>
      )}
    </fieldset>
  );
}

interface ServerChoiceProps {
  readonly server: PreviewedServer;
  readonly on: boolean;
  readonly onTurn: (on: boolean) => void;
  /** Undefined for one that was not added here: it is only switched off. */
  readonly onRemove: (() => void) | undefined;
}

function ServerChoice({ server, on, onTurn, onRemove }: ServerChoiceProps) {
  const { identity, start, policies, roots } = server;
  const name = exactText(identity.name);
  return (
    <li className="grid grid-cols-1 gap-1 rounded-md border p-2 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        {onRemove ? (
          <span className="font-medium wrap-anywhere">{name}</span>
        ) : (
          <label className="flex min-h-6 items-center gap-2 font-medium wrap-anywhere">
            <input type="checkbox" checked={on} onChange={({ target }) => onTurn(target.checked)} />
            {name}
          </label>
        )}
        <Badge>{ORIGINS[identity.origin] ?? identity.origin}</Badge>
        {on && <OutcomeBadge outcome={start} policies={policies} />}
        {identity.changed && <Badge tone="danger">not what was approved before</Badge>}
        {onRemove && <IconButton icon={X} label={`Remove ${name}`} className="ml-auto" onClick={onRemove} />}
      </div>
      <Code className="justify-self-start">{commandText(identity)}</Code>
      {on && roots.length > 0 && (
        <details>
          <summary className="text-muted">Which directories it is shown</summary>
          <ul className="grid grid-cols-1 gap-1 pt-1">
            {roots.map((root) => (
              <li key={root.path} className="flex flex-wrap items-center gap-2">
                <Code>{root.path}</Code>
                <OutcomeBadge outcome={root.outcome} policies={root.policies} />
                {root.only && <span className="text-muted wrap-anywhere">{exactText(partText(root.only))}</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
