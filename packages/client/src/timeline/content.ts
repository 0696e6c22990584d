import { isObject, type JsonObject } from '@reeve/protocol';
import type { ContentBlock, FileDiff, ToolContent, ToolItem } from './timeline-item.ts';

/** A content block, if it is one. */
export function blockOf(value: unknown): ContentBlock | undefined {
  return isObject(value) && typeof value.type === 'string' ? (value as ContentBlock) : undefined;
}

export function blocksOf(value: unknown): ContentBlock[] {
  return Array.isArray(value) ? value.map(blockOf).filter((block) => block !== undefined) : [];
}

/** Adds a block to those of a message: text goes on where text ended. */
export function addBlock(blocks: ContentBlock[], block: ContentBlock): void {
  const last = blocks.at(-1);
  if (last && isPlainText(last) && isPlainText(block)) {
    blocks[blocks.length - 1] = { ...last, text: `${last.text as string}${block.text as string}` };
  } else blocks.push(block);
}

function isPlainText({ type, text, annotations }: ContentBlock): boolean {
  return type === 'text' && typeof text === 'string' && (annotations === undefined || annotations === null);
}

/** The text of blocks, without what is no text. */
export function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

/** The files that a tool call changed, as it says: `diff` content of ACP v1 (whole texts) and v2 (changes, a patch). */
export function diffsOf({ content }: Pick<ToolItem, 'content'>): readonly FileDiff[] {
  return content.filter(({ type }) => type === 'diff').flatMap(diffsIn);
}

function diffsIn(content: ToolContent): FileDiff[] {
  const { path, oldText, newText, changes, patch } = content;
  if (typeof path === 'string') {
    return [
      {
        path,
        ...(typeof oldText === 'string' ? { oldText } : {}),
        ...(typeof newText === 'string' ? { newText } : {}),
      },
    ];
  }
  const text = isObject(patch) && typeof patch.text === 'string' ? { patch: patch.text } : {};
  const files = (Array.isArray(changes) ? changes : []).map(pathOfChange).filter((one) => one !== undefined);
  // One patch is for all of the files: it is shown once.
  return files.map((file, index) => ({ path: file, ...(index === 0 ? text : {}) }));
}

function pathOfChange(change: unknown): string | undefined {
  const { path, newPath, oldPath } = isObject(change) ? change : ({} as JsonObject);
  return [path, newPath, oldPath].find((one) => typeof one === 'string') as string | undefined;
}

/** A word that an agent gave, whatever it gave: anything but text, a number or a truth value is none. */
export function wordOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : otherwise;
}
