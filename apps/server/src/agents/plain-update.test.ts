import { parseMessage } from '@reeve/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlainUpdates } from './plain-update.ts';

const chunk = (text: string, sessionId = 's', sessionUpdate = 'agent_message_chunk'): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate, content: { type: 'text', text } } },
  });

function learned(line: string): PlainUpdates {
  const updates = new PlainUpdates();
  const message = parseMessage(line);
  if (message.kind === 'notification') updates.learn(Buffer.from(line), message);
  return updates;
}

function withoutText(line: string): unknown {
  const message = structuredClone(parseMessage(line)) as { params: { update: { content: { text: string } } } };
  message.params.update.content.text = '';
  return message;
}

describe('plain updates', () => {
  it('are known by the head of the one before', () => {
    const updates = learned(chunk('one'));
    expect(updates.recognise(Buffer.from(chunk('two')))).toEqual(withoutText(chunk('two')));
    expect(updates.recognise(Buffer.from(chunk('')))).toEqual(withoutText(chunk('')));
  });

  it('are parsed again for another session, another kind and another order of members', () => {
    const updates = learned(chunk('one'));
    expect(updates.recognise(Buffer.from(chunk('x', 't')))).toBeUndefined();
    expect(updates.recognise(Buffer.from(chunk('x', 's', 'agent_thought_chunk')))).toBeUndefined();
    const other =
      '{"method":"session/update","jsonrpc":"2.0","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}';
    expect(updates.recognise(Buffer.from(other))).toBeUndefined();
  });

  it.each([
    ['a quote ends the text', '{"type":"text","text":"a","annotations":"b'],
    ['an escape', '{"type":"text","text":"a\\u0041'],
    ['other than ASCII', '{"type":"text","text":"é'],
  ])('are parsed again when %s', (_what, content) => {
    const head = chunk('one').split('{"type"')[0];
    expect(learned(chunk('one')).recognise(Buffer.from(`${head}${content}"}}}}`))).toBeUndefined();
  });

  it('are never learnt from a line whose text does not stand last', () => {
    const line =
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"text":"y"}}}}';
    expect(learned(line).recognise(Buffer.from(line))).toBeUndefined();
    const root = chunk('x').replace(/}}}}$/, '}},"extra":1}}');
    expect(learned(root).recognise(Buffer.from(root))).toBeUndefined();
  });

  it('are never longer than the bound', () => {
    const updates = learned(chunk('one'));
    const room = 1024 - chunk('').length;
    expect(updates.recognise(Buffer.from(chunk('x'.repeat(room))))).toBeDefined();
    expect(updates.recognise(Buffer.from(chunk('x'.repeat(room + 1))))).toBeUndefined();
  });

  it('are exactly what a parse would say, whatever bytes come', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('"', '\\', '}', '"}}}}', '","text":"', '{"type":"text","text":"', '\u0000', '"}}}}\n'),
    );
    fc.assert(
      fc.property(fc.string(), fc.array(part, { maxLength: 6 }), fc.boolean(), (first, parts, framed) => {
        const updates = learned(chunk(first));
        const line = framed ? chunk(first).replace(/"text":".*$/s, `"text":"${parts.join('')}"}}}}`) : parts.join('');
        const known = updates.recognise(Buffer.from(line));
        if (known) expect(known).toEqual(withoutText(line));
      }),
      { numRuns: 2000 },
    );
  });
});
