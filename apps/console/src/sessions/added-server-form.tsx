import { type KeyboardEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { type AddedServer, type AddedServerText, readAddedServer } from './added-server.ts';
import { SecretRows } from './secret-rows.tsx';

interface AddedServerFormProps {
  /** Names that others added here have. */
  readonly taken: readonly string[];
  readonly onAdd: (server: AddedServer) => void;
  readonly onCancel: () => void;
}

const EMPTY: AddedServerText = { type: 'stdio', name: '', command: '', args: '', url: '', values: [] };

/** An MCP server of the session alone. It stands in the form of the session, so that Enter adds it and starts nothing. */
export function AddedServerForm({ taken, onAdd, onCancel }: AddedServerFormProps) {
  const [text, setText] = useState(EMPTY);
  const [problem, setProblem] = useState<string>();
  const change = (part: Partial<AddedServerText>): void => setText((now) => ({ ...now, ...part }));
  const add = (): void => {
    const read = readAddedServer(text, taken);
    if (read.kind === 'server') onAdd(read.server);
    else setProblem(read.problem);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    add();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in one of its fields would send the form around it
    <div className="grid grid-cols-1 gap-3 rounded-md border p-3" onKeyDown={onKeyDown}>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field label="Name of the server" problem={problem}>
          {(wiring) => (
            <input
              {...wiring}
              // biome-ignore lint/a11y/noAutofocus: it appears where somebody asked to add a server
              autoFocus
              className="input w-full"
              maxLength={64}
              value={text.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          )}
        </Field>
        <Field label="How it is reached">
          {(wiring) => (
            <select
              {...wiring}
              className="input w-full"
              value={text.type}
              onChange={({ target }) => change({ type: target.value as AddedServerText['type'] })}
            >
              <option value="stdio">a command that Reeve starts</option>
              <option value="http">an address (streamable HTTP)</option>
              <option value="sse">an address (SSE)</option>
            </select>
          )}
        </Field>
      </div>
      {text.type === 'stdio' ? (
        <>
          <Field label="Command">
            {(wiring) => (
              <input
                {...wiring}
                className="input w-full font-mono"
                spellCheck={false}
                value={text.command}
                onChange={({ target }) => change({ command: target.value })}
              />
            )}
          </Field>
          <Field label="Arguments" hint="One on each line, as they are: nothing is taken for quotes.">
            {(wiring) => (
              <textarea
                {...wiring}
                rows={2}
                className="input w-full font-mono"
                spellCheck={false}
                value={text.args}
                onChange={({ target }) => change({ args: target.value })}
              />
            )}
          </Field>
        </>
      ) : (
        <Field label="Address">
          {(wiring) => (
            <input
              {...wiring}
              className="input w-full font-mono"
              spellCheck={false}
              placeholder="https://mcp.example.org/mcp"
              value={text.url}
              onChange={({ target }) => change({ url: target.value })}
            />
          )}
        </Field>
      )}
      <SecretRows
        what={text.type === 'stdio' ? 'Environment variable' : 'Header'}
        values={text.values}
        onChange={(values) => change({ values })}
      />
      <div className="flex gap-2">
        <Button small onClick={add}>
          Add
        </Button>
        <Button small kind="quiet" onClick={onCancel}>
          Do not add
        </Button>
      </div>
    </div>
  );
}
