import { isObject } from '@reeve/protocol';
import { readableJson, textMember } from '../data/json-members.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { callDirectory } from './call-directory.ts';
import { PlaceLine } from './place-line.tsx';

interface ToolInputProps {
  readonly value: unknown;
  readonly sessionId: string;
}

/** What a tool call was given: a command as such, with the directory that it runs in; all else as JSON, whole. */
export function ToolInput({ value, sessionId }: ToolInputProps) {
  if (value === undefined || value === null) return null;
  const command = commandOf(value);
  const directory = callDirectory(value);
  const besides =
    command === undefined || !isObject(value)
      ? value
      : Object.fromEntries(
          Object.entries(value).filter(([name]) => name !== 'command' && name !== 'args' && name !== directory?.name),
        );
  const isEmpty = isObject(besides) && Object.keys(besides).length === 0;
  return (
    <div className="grid grid-cols-1 gap-1.5">
      {command !== undefined && <CodeBlock label="Command">{command}</CodeBlock>}
      {directory && (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <span className="text-muted">Runs in</span> <PlaceLine path={directory.path} sessionId={sessionId} />
        </div>
      )}
      {(command === undefined || !isEmpty) && (
        <CodeBlock label={command === undefined ? 'Input' : 'Input beside the command'}>
          {readableJson(besides)}
        </CodeBlock>
      )}
    </div>
  );
}

/** The command line of an input that has one; each argument that a shell would take apart stands quoted. */
function commandOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { args } = value;
  const command = Array.isArray(value.command) ? quoted(value.command) : textMember(value, 'command');
  if (command === undefined) return undefined;
  return Array.isArray(args) ? `${command} ${quoted(args)}` : command;
}

function quoted(words: readonly unknown[]): string {
  return words
    .map((word) => (typeof word === 'string' && /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(' ');
}
