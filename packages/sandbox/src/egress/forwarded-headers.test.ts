import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { requestHeaders, responseHeaders } from './forwarded-headers.ts';

function message(method: string, ...rawHeaders: string[]): IncomingMessage {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers[(rawHeaders[index] as string).toLowerCase()] = rawHeaders[index + 1] as string;
  }
  return { method, rawHeaders, headers } as unknown as IncomingMessage;
}

describe('the headers that go on', () => {
  it('name the host of the request line, whatever Host said, and however often', () => {
    const incoming = message('GET', 'Host', 'evil.example', 'Accept', '*/*', 'hOST', 'other.example');
    expect(requestHeaders(incoming, 'example.org')).toEqual(['Host', 'example.org', 'Accept', '*/*']);
  });

  it('leave out what was for the proxy, or for this connection', () => {
    const raw = ['Proxy-Authorization', 'Basic c2VjcmV0', 'Connection', 'close, X-Own', 'X-Own', '1', 'TE', 'trailers'];
    const incoming = message(
      'GET',
      ...raw,
      'Keep-Alive',
      '1',
      'Upgrade',
      'h2c',
      'Expect',
      '100-continue',
      'X-Kept',
      'é',
    );
    expect(requestHeaders(incoming, 'example.org')).toEqual(['Host', 'example.org', 'X-Kept', 'é']);
    expect(responseHeaders([...raw, 'Set-Cookie', 'a', 'Set-Cookie', 'b'])).toEqual([
      'Set-Cookie',
      'a',
      'Set-Cookie',
      'b',
    ]);
  });

  it('state the framing of the body that comes, even if Connection asks to drop it', () => {
    const measured = message('POST', 'Content-Length', '5', 'Connection', 'content-length');
    expect(requestHeaders(measured, 'a.example')).toEqual(['Host', 'a.example', 'Content-Length', '5']);
    const chunked = message('DELETE', 'Transfer-Encoding', 'chunked');
    expect(requestHeaders(chunked, 'a.example')).toEqual(['Host', 'a.example', 'Transfer-Encoding', 'chunked']);
    expect(requestHeaders(message('POST'), 'a.example')).toEqual(['Host', 'a.example', 'Content-Length', '0']);
    expect(requestHeaders(message('GET'), 'a.example')).toEqual(['Host', 'a.example']);
  });
});
