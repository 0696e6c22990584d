import type { ModeItem } from '@reeve/client';
import { visibleText } from '../../hostile/visible-text.ts';

/** Another mode, model or option counts from here. */
export function ModeNote({ item }: { readonly item: ModeItem }) {
  return (
    <p className="text-xs text-muted">
      {item.changes.map(({ option, value }) => `${visibleText(option)}: ${visibleText(value)}`).join(' · ')}
    </p>
  );
}
