import { useContext } from 'react';
import { exactText } from '../hostile/visible-text.ts';
import { classNames } from './class-names.ts';
import { ShownWhole } from './shown-whole.ts';

interface CodeBlockProps {
  readonly label: string;
  readonly children: string;
  readonly className?: string;
}

/** Lines of code, a command, JSON: shown exactly and whole, scrolled where they are long and nobody decides about them. */
export function CodeBlock({ label, children, className }: CodeBlockProps) {
  const isWhole = useContext(ShownWhole);
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard (WCAG 2.1.1)
      tabIndex={0}
      dir="ltr"
      className={classNames(
        !isWhole && 'max-h-96',
        'overflow-auto rounded-md border bg-sunken px-3 py-2 font-mono text-sm whitespace-pre-wrap wrap-anywhere',
        className,
      )}
    >
      {exactText(children)}
    </section>
  );
}
