import type { WaitingPrompt } from './use-queued-prompts.ts';

/** The words of prompts that did not run, behind what is written already. */
export function withTakenBack(written: string, prompts: readonly WaitingPrompt[]): string {
  const texts = prompts.map(({ text }) => text);
  return [written, ...texts].filter((text) => text.trim() !== '').join('\n\n');
}

/** What became of prompts that waited when somebody cancelled. */
export function takenBackText(prompts: readonly WaitingPrompt[]): string {
  const what =
    prompts.length === 1 ? 'The queued prompt does not run: it stands' : 'The queued prompts do not run: they stand';
  const cut = prompts.some(({ truncated }) => truncated)
    ? ' What was long is not all here; whoever sent it has it.'
    : '';
  return `${what} in the field again.${cut}`;
}
