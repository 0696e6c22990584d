import { isObject, type JsonObject } from '@reeve/protocol';
import { ContentBlockView } from '../content/content-block-view.tsx';
import { readableJson, textMember } from '../data/json-members.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { fileChanges } from './file-changes.ts';

/** What a tool call shows: changes of files, contents, and what nobody knows yet as JSON. */
export function ToolContents({ contents }: { readonly contents: readonly JsonObject[] }) {
  return contents.map((entry, index) => <ToolContentView key={index} entry={entry} />);
}

function ToolContentView({ entry }: { readonly entry: JsonObject }) {
  if (entry.type === 'content' && isObject(entry.content)) return <ContentBlockView block={entry.content} plain />;
  if (entry.type === 'terminal') {
    return <p className="text-sm text-muted">Output in terminal {textMember(entry, 'terminalId')}</p>;
  }
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
