import { isObject } from '@reeve/protocol';
import { readableJson, textMember } from '../data/json-members.ts';
import { CodeBlock } from '../ui/code-block.tsx';

/** What a tool call was given: a command as such, all else as JSON, whole. */
export function ToolInput({ value }: { readonly value: unknown }) {
  if (value === undefined || value === null) return null;
  const command = commandOf(value);
  if (command === undefined) return <CodeBlock label="Input">{readableJson(value)}</CodeBlock>;
  const { command: _command, args: _args, ...rest } = value as Record<string, unknown>;
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <CodeBlock label="Command">{command}</CodeBlock>
      {Object.keys(rest).length > 0 && <CodeBlock label="Input beside the command">{readableJson(rest)}</CodeBlock>}
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
