import type { PlanItem } from '@reeve/client';
import { visibleText } from '../../hostile/visible-text.ts';
import { classNames } from '../../ui/class-names.ts';

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['completed', '✓'],
  ['in_progress', '▸'],
  ['pending', '○'],
]);

/** The steps of a plan and how each stands. */
export function PlanEntries({ entries }: { readonly entries: PlanItem['entries'] }) {
  return (
    <ol aria-label="Plan" className="my-1 grid gap-0.5 text-sm">
      {entries.map(({ content, status }, index) => (
        <li key={index} className={classNames('flex gap-2', status === 'completed' && 'text-muted')}>
          <span aria-hidden>{SIGNS.get(status) ?? '○'}</span>
          <span className="wrap-anywhere">
            {visibleText(content)}
            <span className="sr-only"> ({status.replaceAll('_', ' ')})</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
