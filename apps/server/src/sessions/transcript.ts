import { type EventSeq, isObject, parseMessage, type SessionId } from '@reeve/protocol';
import { eventsOf, lastSeqOf, type SessionEvent } from '../events/event-chunk.ts';
import type { EventLog } from '../events/event-log.ts';

/** The part of a long conversation that is told: its end, which matters most. */
const MAX_CHARACTERS = 100_000;
const READ_BYTES = 256 * 1024;

/**
 * Retells a conversation for an agent that cannot load it: what was said by whom and which tools ran, oldest first. Thoughts and
 * tool output are left out. Feed it every event in order.
 */
class Transcript {
  #parts: { readonly speaker: string; text: string }[] = [];
  #length = 0;
  #cut = false;

  add(event: SessionEvent): void {
    if (event.kind !== 'update') return;
    const message = parseMessage(event.message.toString());
    const params = message.kind === 'notification' && isObject(message.params) ? message.params : undefined;
    const update = params && isObject(params.update) ? params.update : undefined;
    if (!update) return;
    if (update.sessionUpdate === 'user_message_chunk') this.#say('User', contentText(update.content));
    else if (update.sessionUpdate === 'agent_message_chunk') this.#say('Assistant', contentText(update.content));
    else if (update.sessionUpdate === 'tool_call' && typeof update.title === 'string')
      this.#say('Tool', `${update.title}\n`);
  }

  /** The text to put in front of the next prompt; undefined when nothing was said. */
  text(): string | undefined {
    if (this.#parts.length === 0) return undefined;
    const told = this.#parts.map(({ speaker, text }) => `${speaker}: ${text.trimEnd()}`).join('\n\n');
    const start = this.#cut ? '(The beginning is left out.)\n\n' : '';
    return `This conversation was restored. What was said so far:\n\n${start}${told}\n\nEnd of what was said so far. The next message follows.`;
  }

  #say(speaker: string, text: string): void {
    if (text === '') return;
    const last = this.#parts.at(-1);
    if (last?.speaker === speaker) last.text += text;
    else this.#parts.push({ speaker, text });
    this.#length += text.length;
    while (this.#length > MAX_CHARACTERS && this.#parts.length > 1) {
      this.#length -= this.#parts.shift()?.text.length ?? 0;
      this.#cut = true;
    }
    // A single speech may be as long as a flood; cut it now and then, not with every word.
    const [only] = this.#parts;
    if (only && this.#length > 2 * MAX_CHARACTERS) {
      only.text = only.text.slice(-MAX_CHARACTERS);
      this.#length = only.text.length;
      this.#cut = true;
    }
  }
}

/** The transcript of a session's log up to `lastSeq`. */
export async function retell(log: EventLog, sessionId: SessionId, lastSeq: EventSeq): Promise<string | undefined> {
  const transcript = new Transcript();
  let cursor = 0 as EventSeq;
  while (cursor < lastSeq) {
    const chunks = await log.read(sessionId, cursor, READ_BYTES);
    if (chunks.length === 0) break;
    for (const chunk of chunks) {
      for (const event of eventsOf(chunk)) transcript.add(event);
      cursor = lastSeqOf(chunk);
    }
  }
  return transcript.text();
}

function contentText(content: unknown): string {
  if (!isObject(content)) return '';
  if (content.type === 'text' && typeof content.text === 'string') return content.text;
  if (content.type === 'resource_link' && typeof content.uri === 'string') return `[${content.uri}]`;
  return `[${String(content.type)}]`;
}
