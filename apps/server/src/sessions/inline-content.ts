import { isObject, ReeveError } from '@reeve/protocol';

/**
 * Refuses a prompt with a content block whose inline content is larger than `maxBytes` (ACP, content: `data` of images and audio,
 * `blob` and `text` of embedded resources). Base64 counts as the bytes that it stands for. What is no block is the agent's to judge.
 */
export function checkInlineContent(prompt: readonly unknown[], maxBytes: number): void {
  for (const [index, block] of prompt.entries()) {
    if (!isObject(block)) continue;
    const resource = isObject(block.resource) ? block.resource : {};
    const size = Math.max(base64Bytes(block.data), base64Bytes(resource.blob), textBytes(resource.text));
    if (size <= maxBytes) continue;
    throw new ReeveError('message_too_large', {
      message: `prompt[${index}]: ${size} bytes of content, more than ${maxBytes} (limits.maxAttachmentBytes): send a resource_link instead`,
      data: { path: `prompt[${index}]`, bytes: size, maxBytes },
    });
  }
}

function base64Bytes(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value, 'base64') : 0;
}

function textBytes(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}
