import { isObject, type JsonObject } from '@reeve/protocol';
import { useContext } from 'react';
import { ContentBlockView } from '../content/content-block-view.tsx';
import { readableJson, textMember } from '../data/json-members.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { visibleText } from '../hostile/visible-text.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { fileChanges } from './file-changes.ts';
import { ShownTerminals } from './shown-terminals.ts';
import { TerminalOutput } from './terminal-output.tsx';

/** What a tool call shows: changes of files, contents, and what nobody knows yet as JSON. */
export function ToolContents({ contents }: { readonly contents: readonly JsonObject[] }) {
  return contents.map((entry, index) => <ToolContentView key={index} entry={entry} />);
}

function ToolContentView({ entry }: { readonly entry: JsonObject }) {
  if (entry.type === 'content' && isObject(entry.content)) return <ContentBlockView block={entry.content} plain />;
  if (entry.type === 'terminal') return <ToolTerminal terminalId={textMember(entry, 'terminalId') ?? ''} />;
  const changes = fileChanges(entry);
  if (changes.length === 0) return <CodeBlock label="Content">{readableJson(entry)}</CodeBlock>;
  return changes.map(({ path, oldText, newText, patch }) =>
    patch === undefined ? (
      <DiffView key={path} path={path} oldText={oldText} newText={newText ?? ''} />
    ) : (
      <CodeBlock key={path} label={`Changes of ${path}`}>
        {patch}
      </CodeBlock>
    ),
  );
}

function ToolTerminal({ terminalId }: { readonly terminalId: string }) {
  const terminal = useContext(ShownTerminals).get(terminalId);
  if (terminal) return <TerminalOutput item={terminal} />;
  return <p className="text-sm text-muted">What terminal {visibleText(terminalId)} shows is not among these events.</p>;
}
