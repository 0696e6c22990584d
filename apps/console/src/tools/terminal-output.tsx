import type { TerminalItem } from '@reeve/client';
import { exactText, visibleText } from '../hostile/visible-text.ts';
import { CodeBlock } from '../ui/code-block.tsx';

/** What a command wrote, without its control sequences, and how it ended. */
export function TerminalOutput({ item }: { readonly item: TerminalItem }) {
  const { command, output, truncated, problem } = item;
  return (
    <figure className="grid grid-cols-1 gap-1">
      <figcaption className="text-sm text-muted wrap-anywhere">
        {command ? <code className="text-ink">{exactText(command)}</code> : 'Terminal'} · {standing(item)}
        {truncated && ' · its beginning is left out'}
      </figcaption>
      {problem !== undefined && <p className="text-sm text-danger wrap-anywhere">{visibleText(problem)}</p>}
      {output !== '' && <CodeBlock label="Output of the terminal">{visibleText(output)}</CodeBlock>}
    </figure>
  );
}

function standing({ exitCode, signal, ended, problem }: TerminalItem): string {
  if (problem !== undefined) return 'not started';
  if (signal !== undefined) return exactText(signal);
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  return ended ? 'stopped' : 'no end was told';
}
