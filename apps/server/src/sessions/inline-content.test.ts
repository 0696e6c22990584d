import { describe, expect, it } from 'vitest';
import { checkInlineContent } from './inline-content.ts';

const bytes = (count: number): string => Buffer.alloc(count, 7).toString('base64');

describe('inline content of a prompt', () => {
  it.each([
    ['an image', (n: number) => ({ type: 'image', mimeType: 'image/png', data: bytes(n) })],
    ['sound', (n: number) => ({ type: 'audio', mimeType: 'audio/wav', data: bytes(n) })],
    ['a blob', (n: number) => ({ type: 'resource', resource: { uri: 'a:b', blob: bytes(n) } })],
    ['a text', (n: number) => ({ type: 'resource', resource: { uri: 'a:b', text: 'ä'.repeat(n / 2) } })],
  ])('is taken up to the limit and refused above, with the place: %s', (_what, block) => {
    const words = { type: 'text', text: 'x'.repeat(1000) };
    for (const size of [98, 100]) expect(() => checkInlineContent([words, block(size)], 100)).not.toThrow();
    expect(() => checkInlineContent([words, block(102)], 100)).toThrow(
      expect.objectContaining({
        name: 'message_too_large',
        message: expect.stringContaining('limits.maxAttachmentBytes'),
        data: { path: 'prompt[1]', bytes: 102, maxBytes: 100 },
      }),
    );
  });

  it('lets pass what it does not know', () => {
    expect(() => checkInlineContent([null, 1, 'x', { type: 'odd', data: 5, resource: [] }], 1)).not.toThrow();
  });
});
