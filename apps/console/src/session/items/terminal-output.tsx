import type { TerminalItem } from '@reeve/client';
import { exactText, visibleText } from '../../hostile/visible-text.ts';
import { CodeBlock } from '../../ui/code-block.tsx';

/** Output of a terminal, without its control sequences. */
export function TerminalOutput({ item }: { readonly item: TerminalItem }) {
  const { command, output, truncated, exitCode, signal } = item;
  const end = signal ?? (exitCode === undefined ? undefined : `exit code ${exitCode}`);
  return (
    <figure className="grid grid-cols-1 gap-1">
      <figcaption className="text-sm text-muted">
        {command ? exactText(command) : 'Terminal'}
        {end && ` · ${exactText(end)}`}
        {truncated && ' · its beginning is left out'}
      </figcaption>
      <CodeBlock label="Output of the terminal">{visibleText(output)}</CodeBlock>
    </figure>
  );
}
