import { describe, expect, it } from 'vitest';
import { promptBlocks } from './prompt-blocks.ts';

const all = { image: true, audio: true, embeddedContext: true };
const [words] = promptBlocks('look', [], {});
const one = (attachment: Parameters<typeof promptBlocks>[1][number], can = all): unknown =>
  promptBlocks('look', [attachment], can)[1];

describe('the content blocks of a prompt', () => {
  it('begins with the words, or the blocks that were given', () => {
    expect(words).toEqual({ type: 'text', text: 'look' });
    const given = [{ type: 'text', text: 'a' }, { type: 'of the future' }];
    expect(promptBlocks(given, [], {})).toEqual(given);
  });

  it('links files and addresses, whatever the agent can', () => {
    expect(one({ path: '/tmp/a b.txt', mimeType: 'text/plain' }, { ...all, embeddedContext: false })).toEqual({
      type: 'resource_link',
      uri: 'file:///tmp/a%20b.txt',
      name: 'a b.txt',
      mimeType: 'text/plain',
    });
    expect(one({ uri: 'https://example.org/x/y.png?z', filename: 'plan.png' })).toEqual({
      type: 'resource_link',
      uri: 'https://example.org/x/y.png?z',
      name: 'plan.png',
      _meta: { 'sandboxagent.dev': { filename: 'plan.png' } },
    });
    expect(one({ uri: 'https://example.org/' })).toMatchObject({ name: 'https://example.org/' });
  });

  it('sends pictures and sound as such, other bytes and text as embedded resources', () => {
    expect(one({ data: 'AAAA', mimeType: 'image/png' })).toEqual({
      type: 'image',
      data: 'AAAA',
      mimeType: 'image/png',
    });
    expect(one({ data: 'AAAA', mimeType: 'audio/wav' })).toMatchObject({ type: 'audio' });
    expect(one({ data: 'AAAA', mimeType: 'application/pdf', filename: 'ä.pdf' })).toEqual({
      type: 'resource',
      resource: { uri: 'attachment:///%C3%A4.pdf', blob: 'AAAA', mimeType: 'application/pdf' },
      _meta: { 'sandboxagent.dev': { filename: 'ä.pdf' } },
    });
    expect(one({ text: 'hello', filename: 'h.txt' })).toMatchObject({ type: 'resource', resource: { text: 'hello' } });
    expect(one({ data: 'AAAA', mimeType: 'image/png' }, { ...all, image: false })).toMatchObject({ type: 'resource' });
  });

  it('tells an agent without embedded resources the text in words, and refuses bytes with the next step', () => {
    const none = { image: false, audio: false, embeddedContext: false };
    expect(one({ text: 'hello', filename: 'h.txt' }, none)).toEqual({
      type: 'text',
      text: 'hello',
      _meta: { 'sandboxagent.dev': { filename: 'h.txt' } },
    });
    expect(() => one({ data: 'AAAA', mimeType: 'image/png' }, none)).toThrow(/attachments\[0\].*image\/png/);
    expect(() => one({ data: 'AAAA' }, none)).toThrow(expect.objectContaining({ name: 'capability_missing' }));
  });
});
