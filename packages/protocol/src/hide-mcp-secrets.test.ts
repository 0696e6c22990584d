import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideMcpSecrets } from './hide-mcp-secrets.ts';

const hidden = (servers: string): string => {
  const message = (list: string) =>
    `{"jsonrpc":"2.0","id":1, "method":"session/new","params":{"cwd":"/a","mcpServers":${list}} }`;
  const text = hideMcpSecrets(Buffer.from(message(servers))).toString();
  const [before, after] = message('|').split('|') as [string, string];
  expect(text.startsWith(before) && text.endsWith(after)).toBe(true);
  return text.slice(before.length, text.length - after.length);
};

describe('hideMcpSecrets', () => {
  it('hides the values of env and headers and keeps every other byte', () => {
    expect(
      hidden('[ {"name":"a","env":[ {"name":"T","value" : "s3"} , {"value":"s3","name":"U"}],"args":["\\u0041"]} ]'),
    ).toBe(
      '[ {"name":"a","env":[ {"name":"T","value" : "[hidden]"} , {"value":"[hidden]","name":"U"}],"args":["\\u0041"]} ]',
    );
    expect(hidden('[{"type":"http","headers":[{"name":"A","value":"s3"}],"url":"https://h/p"}]')).toBe(
      '[{"type":"http","headers":[{"name":"A","value":"[hidden]"}],"url":"https://h/p"}]',
    );
  });

  it('hides user part, query and fragment of a URL', () => {
    expect(hidden('[{"url":"https://u:s3@h:8/p?k=s3#s3"}]')).toBe(
      '[{"url":"https://[hidden]@h:8/p?[hidden]#[hidden]"}]',
    );
    expect(hidden('[{"url":"https:\\/\\/s3@h\\/p"}]')).toBe('[{"url":"https://[hidden]@h/p"}]');
    expect(hidden('[{"url":"//u:s3@h"},{"url":"s3"},{"url":["s3"]},{"url":"data:,s3"}]')).not.toContain('s3');
  });

  it.each([
    '[{"env":{"T":"s3","U":{"a":"s3"}}}]',
    '[{"env":["T=s3"]}]',
    '[{"env":"T=s3"}]',
    '[{"env":[{"name":"T","value":{"deep":["s3"]}}]}]',
    '[{"env":[{"name":"T","Value":"s3"}]}]',
    '[{"env":[{"name":"T","value":"s3","value":"s3"}],"env":[]}]',
    '[{"\\u0065nv":[{"name":"T","v\\u0061lue":"s3"}]}]',
    '{"a":{"env":[{"name":"T","value":"s3"}]}}',
    '[],"mcpServers":[{"headers":[{"name":"T","value":"s3"}]}],"mcpServers":[]',
    '[]},"params":{"mcpServers":[{"env":[{"name":"T","value":"s3"}]}]},"params":{"mcpServers":[]',
  ])('hides a secret in other forms and in duplicates: %s', (servers) => {
    const text = hidden(servers);
    expect(text).not.toContain('s3');
    expect(() => JSON.parse(`{"params":{"mcpServers":${text}}}`)).not.toThrow();
  });

  it('gives back a message without secrets as it is', () => {
    for (const text of [
      '{"params":{"mcpServers":[{"name":"a","env":[]}]}}',
      '{"params":[1]}',
      '{"params":null}',
      '{}',
    ]) {
      const raw = Buffer.from(text);
      expect(hideMcpSecrets(raw)).toBe(raw);
    }
  });

  it('leaves JSON that means the same but for the values', () => {
    const pair = fc.record({ name: fc.string({ unit: 'binary' }), value: fc.string({ unit: 'binary' }) });
    const list = fc.array(fc.record({ name: fc.string(), env: fc.array(pair), headers: fc.array(pair) }));
    fc.assert(
      fc.property(list, fc.constantFrom(undefined, 2), (mcpServers, indent) => {
        const raw = Buffer.from(JSON.stringify({ params: { mcpServers } }, null, indent));
        const hide = (pairs: { name: string }[]) =>
          pairs.map(({ name }) => ({ name: Buffer.from(name).toString(), value: '[hidden]' }));
        const expected = mcpServers.map((entry) => ({ ...entry, env: hide(entry.env), headers: hide(entry.headers) }));
        expect(JSON.parse(hideMcpSecrets(raw).toString())).toEqual({ params: { mcpServers: expected } });
      }),
    );
  });
});
