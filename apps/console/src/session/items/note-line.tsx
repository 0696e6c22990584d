import type { NoteItem } from '@reeve/client';
import { OctagonAlert } from 'lucide-react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { type NoteWords, noteWords } from './note-words.ts';

const STYLES: Readonly<Record<NoteWords['tone'], string>> = {
  plain: 'text-xs text-muted',
  warn: 'text-xs text-warn',
  alarm: 'rounded-md bg-danger-soft px-2 py-1 text-sm text-danger',
};

/** A fact beside the conversation; its details are folded. */
export function NoteLine({ item }: { readonly item: NoteItem }) {
  const { tone, text } = noteWords(item);
  const words = (
    <span className="wrap-anywhere">
      {tone === 'alarm' && <OctagonAlert aria-hidden className="mr-1 inline size-4" />}
      {text}
    </span>
  );
  const hasFacts = Object.keys(item.facts).length > 0;
  if (!hasFacts) return <p className={STYLES[tone]}>{words}</p>;
  return (
    <details className={STYLES[tone]}>
      <summary>{words}</summary>
      <CodeBlock label={text} className="text-ink">
        {JSON.stringify(item.facts, undefined, 2)}
      </CodeBlock>
    </details>
  );
}
