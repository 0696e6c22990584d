import { isObject, parseMessage, type SessionId } from '@reeve/protocol';
import { eventsOf, lastSeqOf, type SessionEvent } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';
import type { SearchIndex } from './search-index.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

const READ_BYTES = 256 * 1024;
const PAGE = 200;
/** How long a session may speak without its time of the last activity being told. */
const QUIET_MS = 60 * 60_000;

export interface IndexSessionsOptions {
  readonly log: EventLog;
  readonly store: SessionStore;
  readonly index: SearchIndex;
}

/**
 * Gives a function that brings the index up to the logs, newest sessions first; false when `signal` aborted it before the end. What
 * was indexed stays, so the next call goes on. Calls at the same time share one pass.
 */
export function indexSessions({ log, store, index }: IndexSessionsOptions): (signal: AbortSignal) => Promise<boolean> {
  const indexOne = async (session: SessionId, signal: AbortSignal): Promise<void> => {
    const head = await log.head(session);
    let cursor = await index.indexedSeq(session);
    while (cursor < head && !signal.aborted) {
      const chunks = await log.read(session, cursor, READ_BYTES);
      const last = chunks.at(-1);
      if (!last) return;
      const said = chunks.flatMap((chunk) => [...eventsOf(chunk)].map(saidIn)).join('');
      cursor = lastSeqOf(last);
      await index.add(session, cursor, said);
    }
  };

  /** When the last whole pass began: of sessions without activity since then nothing is new. */
  let wholeAt = 0;
  const pass = async (signal: AbortSignal): Promise<boolean> => {
    const begunAt = Date.now();
    for await (const { sessionId, updatedAt } of newestFirst(store)) {
      if (signal.aborted || updatedAt < wholeAt - QUIET_MS) break;
      await indexOne(sessionId, signal);
    }
    if (signal.aborted) return false;
    wholeAt = begunAt;
    return true;
  };

  let running: Promise<boolean> | undefined;
  return (signal) => {
    running ??= pass(signal).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function* newestFirst(store: SessionStore): AsyncGenerator<SessionRecord> {
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield* page?.sessions ?? [];
    cursor = page?.nextCursor;
  } while (cursor !== undefined);
}

/** What a person or the agent said in an event; pieces of one message stand side by side. */
function saidIn({ kind, message }: SessionEvent): string {
  if (kind !== 'update') return kind === 'prompt' || kind === 'turn_end' ? '\n' : '';
  const parsed = parseMessage(message.toString());
  const params = parsed.kind === 'notification' && isObject(parsed.params) ? parsed.params : {};
  const update = isObject(params.update) ? params.update : {};
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
      return textIn(update.content);
    case 'user_message':
    case 'agent_message':
      return `\n${(Array.isArray(update.content) ? update.content : []).map(textIn).join('')}\n`;
    case 'tool_call':
      return typeof update.title === 'string' ? `\n${update.title}\n` : '';
    default:
      return '';
  }
}

function textIn(content: unknown): string {
  return isObject(content) && content.type === 'text' && typeof content.text === 'string' ? content.text : '';
}
