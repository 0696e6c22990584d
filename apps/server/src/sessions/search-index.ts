import type { EventSeq, SessionId } from '@reeve/protocol';

/** The words that were said in sessions, for `SessionStore.list`. It may lag behind the log, and says how far it is. */
export interface SearchIndex {
  /** Seq of the last event whose words are in it; 0 for a session that it does not know. */
  indexedSeq(session: SessionId): Promise<EventSeq>;
  /** Adds what was said up to `seq`. Durable once resolved; words up to a seq that it has already are left out. */
  add(session: SessionId, seq: EventSeq, text: string): Promise<void>;
}

/** How many words of a query count. */
const MAX_WORDS = 8;

/** What a query asks for: every word begins a word of the title or of what was said. Nothing where it has no letters. */
export function wordsOf(query: string): readonly string[] {
  return [...new Set(plainWords(query))].slice(0, MAX_WORDS);
}

/** The words of a text in small letters, without accents. */
export function plainWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
