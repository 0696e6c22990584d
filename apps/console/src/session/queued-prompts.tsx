import type { QueuedPrompt } from './use-queued-prompts.ts';

/** Prompts that wait for their turn. */
export function QueuedPrompts({ prompts }: { readonly prompts: readonly QueuedPrompt[] }) {
  if (prompts.length === 0) return null;
  return (
    <ol aria-label="Queued prompts" className="grid grid-cols-1 gap-1 text-sm">
      {prompts.map(({ key, text }) => (
        <li key={key} className="truncate rounded-md border border-dashed px-2 py-1 text-muted">
          Queued: {text || 'files'}
        </li>
      ))}
    </ol>
  );
}
