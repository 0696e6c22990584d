import type { NoteItem } from '@reeve/client';
import { visibleText } from '../../hostile/visible-text.ts';
import { CodeBlock } from '../../ui/code-block.tsx';

const WORDS: ReadonlyMap<string, string> = new Map([
  ['agent_started', 'The agent was started'],
  ['agent_exited', 'The agent process ended'],
  ['agent_replaced', 'The agent process was replaced'],
  ['forked', 'Forked from another session'],
  ['session_ended', 'The session was closed'],
  ['cancel', 'Somebody cancelled'],
  ['request_answered', 'A request was answered'],
  ['metadata_changed', 'Something of the session was changed'],
  ['boundary_changed', 'The boundary was changed'],
  ['unknown', 'An update that this console does not know'],
]);

/** A fact beside the conversation; its details are folded. */
export function NoteLine({ item }: { readonly item: NoteItem }) {
  const words = WORDS.get(item.type) ?? visibleText(item.type).replaceAll('_', ' ');
  const hasFacts = Object.keys(item.facts).some((name) => name !== 'type');
  if (!hasFacts) return <p className="text-xs text-muted">{words}</p>;
  return (
    <details className="text-xs text-muted">
      <summary>{words}</summary>
      <CodeBlock label={words}>{JSON.stringify(item.facts, undefined, 2)}</CodeBlock>
    </details>
  );
}
