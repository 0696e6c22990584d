import type { EventSeq } from '@reeve/protocol';
import { plainWords, type SearchIndex } from '../../sessions/search-index.ts';

/** The words of sessions, for the list of the memory store. */
export interface MemorySearchIndex extends SearchIndex {
  /** Whether a word of what was said in the session begins so. */
  has(session: string, word: string): boolean;
  remove(session: string): void;
}

export function createMemorySearchIndex(assertOpen: () => void): MemorySearchIndex {
  const sessions = new Map<string, { seq: EventSeq; readonly words: Set<string> }>();
  return {
    async indexedSeq(session) {
      assertOpen();
      return sessions.get(session)?.seq ?? (0 as EventSeq);
    },
    async add(session, seq, text) {
      assertOpen();
      const known = sessions.get(session) ?? { seq: 0 as EventSeq, words: new Set<string>() };
      if (seq <= known.seq) return;
      known.seq = seq;
      for (const word of plainWords(text)) known.words.add(word);
      sessions.set(session, known);
    },
    has: (session, word) =>
      sessions
        .get(session)
        ?.words.values()
        .some((one) => one.startsWith(word)) ?? false,
    remove: (session) => void sessions.delete(session),
  };
}
