import type { EventSeq } from '@reeve/protocol';
import type { SearchIndex } from '../../sessions/search-index.ts';
import type { OperationQueue } from './operation-queue.ts';

export function createSqliteSearchIndex(queue: OperationQueue): SearchIndex {
  return {
    indexedSeq: async (session) => (await queue.read({ kind: 'indexedSeq', session })) as EventSeq,
    add: (session, seq, text) => queue.write({ kind: 'indexText', session, seq, text }),
  };
}
