import type { ToolItem } from '@reeve/client';
import { readableJson } from '../../data/json-members.ts';
import { exactText } from '../../hostile/visible-text.ts';
import { ToolContents } from '../../tools/tool-contents.tsx';
import { ToolInput } from '../../tools/tool-input.tsx';
import { ToolPlaces } from '../../tools/tool-places.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { duration } from '../../ui/duration.ts';

const TONES: ReadonlyMap<string, Tone> = new Map([
  ['completed', 'ok'],
  ['failed', 'danger'],
  ['cancelled', 'warn'],
  ['in_progress', 'accent'],
]);

interface ToolCallProps {
  readonly item: ToolItem;
  readonly sessionId: string;
}

/** A tool call: what, how it stands, how long it took; its input and output unfolded. Changes of files are open. */
export function ToolCall({ item, sessionId }: ToolCallProps) {
  const { title, toolKind, status, content, locations, rawInput, rawOutput, durationMs } = item;
  const changesFiles = content.some(({ type }) => type === 'diff');
  return (
    <details open={changesFiles} className="overflow-hidden rounded-md border bg-surface">
      <summary className="flex flex-wrap items-center gap-2 px-3 py-1.5 text-sm">
        <span className="min-w-0 flex-1 font-medium wrap-anywhere">{exactText(title ?? 'Tool call')}</span>
        {toolKind && <Badge>{exactText(toolKind)}</Badge>}
        <Badge tone={TONES.get(status) ?? 'neutral'}>{exactText(status.replaceAll('_', ' '))}</Badge>
        {durationMs !== undefined && <span className="text-xs text-muted">{duration(durationMs)}</span>}
      </summary>
      <div className="grid grid-cols-1 gap-2 border-t p-3">
        <ToolPlaces locations={locations} sessionId={sessionId} />
        <ToolInput value={rawInput} sessionId={sessionId} />
        <ToolContents contents={content} />
        {rawOutput !== undefined && <CodeBlock label="Output">{readableJson(rawOutput)}</CodeBlock>}
      </div>
    </details>
  );
}
