import type { JsonObject } from '@reeve/protocol';
import { addBlock, blockOf, blocksOf, textOf } from './content.ts';
import type { Draft, Stamp } from './draft.ts';
import { addItem, type FoldState, type MessageKind, touchItem } from './fold-state.ts';
import type { ContentBlock } from './timeline-item.ts';

/** `user_message_chunk`, `agent_message_chunk`, `agent_thought_chunk`: a block more of a message. */
export function foldChunk(state: FoldState, kind: MessageKind, update: JsonObject, stamp: Stamp): void {
  const block = blockOf(update.content);
  if (!block) return;
  const draft = messageFor(state, kind, idOf(update), stamp);
  addBlock(draft.item.blocks, block);
  touchItem(draft, stamp);
}

/** `user_message`, `agent_message`, `agent_thought` (ACP v2): the whole content of a message, where it has one. */
export function foldMessage(state: FoldState, kind: MessageKind, update: JsonObject, stamp: Stamp): void {
  const draft = messageFor(state, kind, idOf(update), stamp);
  touchItem(draft, stamp);
  if (update.content === undefined) return;
  draft.item.blocks = blocksOf(update.content);
  draft.whole = true;
}

/** The message with the id, else the one that was being said, else a new one. */
function messageFor(state: FoldState, kind: MessageKind, id: string | undefined, stamp: Stamp): Draft<MessageKind> {
  const known = id === undefined ? undefined : state.messages.get(`${kind} ${id}`);
  if (known) return known;
  const last = state.drafts.at(-1);
  if (last && goesOn(last, kind, id)) {
    const draft = last as unknown as Draft<MessageKind>;
    if (id !== undefined) state.messages.set(`${kind} ${id}`, draft);
    return draft;
  }
  const own = { kind, blocks: [], ...(id === undefined ? {} : { messageId: id }) };
  const draft = addItem<MessageKind>(state, stamp, own as never);
  if (id !== undefined) state.messages.set(`${kind} ${id}`, draft);
  return draft;
}

/** Whether a message of the kind and id goes on in the item; a prompt never does. */
export function goesOn({ item, isPrompt }: Draft, kind: MessageKind, id: string | undefined): boolean {
  return item.kind === kind && item.messageId === id && !isPrompt;
}

/**
 * The agent or Reeve repeats the prompt that was just given (`user_message_chunk` of v1, `user_message` of v2). False where it is
 * something else that the user said: in a replay of an older conversation.
 */
export function foldEcho(state: FoldState, update: JsonObject, ofClient: boolean, stamp: Stamp): boolean {
  const { prompt } = state;
  const id = idOf(update);
  // The prompt itself is in an older page.
  if (!prompt) {
    if (ofClient && !state.hasTurn) state.lateEchoes.push(stamp);
    return ofClient;
  }
  if (!ofClient && id === undefined && !repeats(prompt.item.blocks, update)) return false;
  if (!ofClient && id !== undefined && prompt.item.messageId !== undefined && prompt.item.messageId !== id)
    return false;
  if (id !== undefined) {
    prompt.item.messageId = id;
    state.messages.set(`user ${id}`, prompt as unknown as Draft<MessageKind>);
  }
  touchItem(prompt, stamp);
  return true;
}

function repeats(blocks: readonly ContentBlock[], update: JsonObject): boolean {
  const said = update.content === undefined ? [] : Array.isArray(update.content) ? update.content : [update.content];
  const text = textOf(blocksOf(said));
  return text === '' || textOf(blocks).includes(text);
}

function idOf({ messageId }: JsonObject): string | undefined {
  return typeof messageId === 'string' ? messageId : undefined;
}
