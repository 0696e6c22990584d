import type { NoteItem } from '@reeve/client';
import { textMember } from '../../data/json-members.ts';
import { visibleText } from '../../hostile/visible-text.ts';
import { CodeBlock } from '../../ui/code-block.tsx';

const WORDS: ReadonlyMap<string, string> = new Map([
  ['agent_started', 'The agent was started'],
  ['agent_replaced', 'The agent process was replaced'],
  ['forked', 'Forked from another session'],
  ['cancel', 'Somebody cancelled'],
  ['request_answered', 'A request was answered'],
  ['metadata_changed', 'Something of the session was changed'],
  ['boundary_changed', 'The boundary was changed'],
  ['unknown', 'An update that this console does not know'],
]);

/** Why a session left memory (session surface, `ended`). */
const ENDS: ReadonlyMap<string | undefined, string> = new Map([
  ['closed', 'The session was closed'],
  ['idle', 'Nobody used the session: it rests until the next prompt'],
  ['terminated', 'Somebody ended what ran here at once'],
  ['shutdown', 'The server stopped'],
  ['failed', 'The log of the session could not be written'],
]);

/** A fact beside the conversation; its details are folded. */
export function NoteLine({ item }: { readonly item: NoteItem }) {
  const words = wordsOf(item);
  const hasFacts = Object.keys(item.facts).some((name) => name !== 'type');
  if (!hasFacts) return <p className="text-xs text-muted">{words}</p>;
  return (
    <details className="text-xs text-muted">
      <summary>{words}</summary>
      <CodeBlock label={words}>{JSON.stringify(item.facts, undefined, 2)}</CodeBlock>
    </details>
  );
}

function wordsOf({ type, facts }: NoteItem): string {
  if (type === 'session_ended') return ENDS.get(textMember(facts, 'reason')) ?? 'The session ended';
  if (type === 'agent_exited') return `The agent process ended${howItEnded(facts)}`;
  return WORDS.get(type) ?? visibleText(type).replaceAll('_', ' ');
}

function howItEnded(facts: NoteItem['facts']): string {
  const signal = textMember(facts, 'signal');
  if (signal !== undefined) return `, by ${visibleText(signal)}`;
  return typeof facts.exitCode === 'number' ? ` with exit code ${facts.exitCode}` : '';
}
