import { useContext, useMemo, useState } from 'react';
import { exactText } from '../hostile/visible-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { ShownWhole } from '../ui/shown-whole.ts';
import { foldLines } from './fold-lines.ts';
import { lineDiff } from './line-diff.ts';
import { SplitLines } from './split-lines.tsx';
import { UnifiedLines } from './unified-lines.tsx';

interface DiffViewProps {
  readonly path: string;
  /** Undefined: the file is new. */
  readonly oldText?: string | undefined;
  readonly newText: string;
}

/** What changes in a file, unified or side by side. */
export function DiffView({ path, oldText, newText }: DiffViewProps) {
  const [split, setSplit] = useState(false);
  const isWhole = useContext(ShownWhole);
  const lines = useMemo(() => lineDiff(oldText ?? '', newText), [oldText, newText]);
  const parts = useMemo(() => foldLines(lines), [lines]);
  const added = lines.filter(({ kind }) => kind === 'added').length;
  const removed = lines.filter(({ kind }) => kind === 'removed').length;
  const Lines = split ? SplitLines : UnifiedLines;
  return (
    <figure className="overflow-hidden rounded-md border">
      <figcaption className="flex flex-wrap items-center gap-2 border-b bg-sunken px-3 py-1 text-sm">
        <span className="min-w-0 flex-1 font-mono wrap-anywhere" dir="ltr">
          {exactText(path)}
        </span>
        {oldText === undefined && <Badge tone="accent">new file</Badge>}
        <span className="text-ok">+{added}</span>
        <span className="text-danger">−{removed}</span>
        <Button small kind="quiet" className="hidden sm:inline-flex" onClick={() => setSplit(!split)}>
          {split ? 'Unified' : 'Side by side'}
        </Button>
      </figcaption>
      <section
        aria-label={`Changes of ${exactText(path)}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (WCAG 2.1.1)
        tabIndex={0}
        className={classNames(!isWhole && 'max-h-112', 'overflow-auto bg-surface font-mono text-sm')}
      >
        {parts.length === 0 ? <p className="p-2 text-muted">An empty file.</p> : <Lines parts={parts} />}
      </section>
    </figure>
  );
}
