import { describe, expect, it } from 'vitest';
import { hideOwnSecrets } from './hide-own-secrets.ts';

describe('what a server says of itself', () => {
  it('is told without the values of its environment, plain or within JSON, and without a word less', () => {
    const env = { KEY: 'sk-"12345', LONGER: 'sk-"12345-more', DEBUG: '1', EMPTY: '' };
    const hide = hideOwnSecrets({ kind: 'stdio', command: 'x', args: [], env });
    expect(hide('wrong key sk-"12345-more, not sk-"12345')).toBe('wrong key [hidden], not [hidden]');
    expect(hide(JSON.stringify(env))).toBe('{"KEY":"[hidden]","LONGER":"[hidden]","DEBUG":"1","EMPTY":""}');
    expect(hide('1 tool')).toBe('1 tool');
  });

  it('is told without headers, user part, query and fragment', () => {
    const hide = hideOwnSecrets({
      kind: 'http',
      url: 'https://us%40er:pass%20word@host.test/mcp?token=a%20token&x=1#piece',
      headers: { authorization: 'Bearer bear-123' },
    });
    const login = Buffer.from('us@er:pass word').toString('base64');
    expect(hide(`bear-123 us%40er us@er pass%20word ${login} a token a%20token piece host.test`)).toBe(
      '[hidden] [hidden] [hidden] [hidden] [hidden] [hidden] [hidden] [hidden] host.test',
    );
    expect(hideOwnSecrets({ kind: 'sse', url: 'no url', headers: {} })('no url')).toBe('no url');
  });
});
