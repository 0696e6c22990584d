import { isObject, parseMessage, type RpcMessage } from '@reeve/protocol';

type Notification = Extract<RpcMessage, { kind: 'notification' }>;

/** How the line of a streamed text chunk ends, in the order in which every agent known to us writes it. */
const TAIL = Buffer.from('"}}}}');
const TEXT_KEY = '"text":"';
/** Above this a parse costs no more than the look at each byte. */
const MAX_LINE_BYTES = 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Knows the next line of a stream of text chunks without parsing it.
 *
 * Of a chunk that was parsed it keeps the *head*: everything up to the text. A line with the same head, then only printable ASCII
 * without quote or backslash, then `"}}}}`, is the same message with another text: the head ends inside a JSON string, nothing in
 * between can end that string, and the tail closes what the head opened. That the head and the tail make one message is shown once, by
 * parsing them. Whatever differs in one byte is parsed in full.
 */
export class PlainUpdates {
  #head: Buffer | undefined;
  #message: Notification | undefined;

  /** The message that `line` is, without its text; undefined when it must be parsed. */
  recognise(line: Buffer): Notification | undefined {
    const head = this.#head;
    if (head === undefined || line.length > MAX_LINE_BYTES) return undefined;
    const textEnd = line.length - TAIL.length;
    if (textEnd < head.length) return undefined;
    // From the end: what differs between two heads of one session is there.
    for (let at = head.length - 1; at >= 0; at -= 1) if (line[at] !== head[at]) return undefined;
    for (let at = head.length; at < textEnd; at += 1) {
      const byte = line[at] as number;
      if (byte < 0x20 || byte > 0x7e || byte === QUOTE || byte === BACKSLASH) return undefined;
    }
    for (let at = 0; at < TAIL.length; at += 1) if (line[textEnd + at] !== TAIL[at]) return undefined;
    return this.#message;
  }

  /** Looks at a message that was parsed: a text chunk becomes the pattern of those to come. */
  learn(line: Buffer, { method, params }: Notification): void {
    if (line.length > MAX_LINE_BYTES || method !== 'session/update' || !isObject(params)) return;
    const { update } = params;
    if (!isObject(update) || !isObject(update.content) || update.content.type !== 'text') return;
    const key = line.lastIndexOf(TEXT_KEY);
    if (key < 0) return;
    const head = line.subarray(0, key + TEXT_KEY.length);
    const message = parseMessage(`${head.toString()}${TAIL.toString()}`);
    if (message.kind !== 'notification' || textOf(message) !== '') return;
    this.#head = Buffer.from(head);
    this.#message = message;
  }
}

function textOf({ params }: Notification): unknown {
  const update = isObject(params) && isObject(params.update) ? params.update : {};
  return isObject(update.content) ? update.content.text : undefined;
}
