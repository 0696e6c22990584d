import { isObject, type QueuedPrompt } from '@reeve/protocol';
import type { Turn } from './turn.ts';

/** Characters of a prompt that are told of while it waits; the log has all of it once its turn begins. */
const MAX_TEXT = 2000;

/** A prompt that waits for its turn, as people are told of it: its words, and how much comes with them. */
export function queuedPrompt({ prompt, key, trace, at }: Turn): QueuedPrompt {
  const blocks = Array.isArray(prompt.params.prompt) ? prompt.params.prompt : [];
  const [first] = blocks;
  const words = isObject(first) && first.type === 'text' && typeof first.text === 'string' ? first.text : undefined;
  const attachments = blocks.length - (words === undefined ? 0 : 1);
  return {
    id: key ?? trace,
    at,
    by: prompt.port.label,
    text: (words ?? '').slice(0, MAX_TEXT),
    ...(words !== undefined && words.length > MAX_TEXT ? { truncated: true } : {}),
    ...(attachments === 0 ? {} : { attachments }),
  };
}
