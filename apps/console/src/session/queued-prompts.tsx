import { visibleText } from '../hostile/visible-text.ts';
import type { WaitingPrompt } from './use-queued-prompts.ts';

/** Prompts that wait for their turn, whoever sent them. */
export function QueuedPrompts({ prompts }: { readonly prompts: readonly WaitingPrompt[] }) {
  if (prompts.length === 0) return null;
  return (
    <ol aria-label="Queued prompts" className="grid max-h-32 grid-cols-1 gap-1 overflow-y-auto text-sm">
      {prompts.map(({ id, text, by }) => (
        <li key={id} className="truncate rounded-md border border-dashed px-2 py-1 text-muted">
          Queued{by === undefined ? '' : ` by ${visibleText(by)}`}: {visibleText(text) || 'files'}
        </li>
      ))}
    </ol>
  );
}
