import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAbsoluteForm, parseAuthority } from './request-target.ts';

const name = (text: string, port: number) => ({ host: { kind: 'name', text }, port });
const address = (text: string, port: number) => ({ host: { kind: 'address', text }, port });

describe('the target of CONNECT', () => {
  it.each([
    ['example.org:443', name('example.org', 443)],
    ['Example.ORG.:443', name('example.org', 443)],
    ['127.0.0.1:1', address('127.0.0.1', 1)],
    ['[::1]:65535', address('::1', 65_535)],
  ])('%s is read', (text, target) => {
    expect(parseAuthority(text)).toEqual(target);
  });

  it.each([
    ...['', 'example.org', 'example.org:', 'example.org:0', 'example.org:65536', 'example.org:080', ':443', '::1:443'],
    ...['user@example.org:443', 'user:pass@example.org:443', 'example.org:443/', 'http://example.org:443', '127.1:443'],
    ...['0x7f000001:443', 'example.org:443:443', '[::1]', '[::1]443', 'example.org:443 ', ' example.org:443', '/', '*'],
  ])('%j is refused', (text) => {
    expect(parseAuthority(text)).toBeUndefined();
  });
});

describe('the target of a plain request', () => {
  it.each([
    ['http://example.org', name('example.org', 80), '/'],
    ['HTTP://Example.org:8080/a/b?c=d', name('example.org', 8080), '/a/b?c=d'],
    ['http://example.org?q', name('example.org', 80), '/?q'],
    ['http://[::1]/x', address('::1', 80), '/x'],
    ['http://[::1]:81/x', address('::1', 81), '/x'],
    ['http://example.org//evil.example/', name('example.org', 80), '//evil.example/'],
    ['http://example.org/http://evil.example/', name('example.org', 80), '/http://evil.example/'],
    ['http://example.org/@evil.example', name('example.org', 80), '/@evil.example'],
  ])('%s is read', (text, target, path) => {
    expect(parseAbsoluteForm(text)).toEqual({ kind: 'target', target, path });
  });

  it.each([
    ...[
      'http://',
      'http:///x',
      'http://user@example.org/',
      'http://a@b@example.org/',
      'http://example.org:/',
      'http://example.org:0/',
    ],
    ...['http://127.1/', 'http://0x7f000001/', 'http://017700000001/', 'http://2130706433/', 'http://exa%6dple.org/'],
    ...[
      'http://example.org\\@evil.example/',
      'http:\\\\example.org/',
      'http:/example.org/',
      'http:example.org',
      'example.org',
      'http://example.org/a b',
      'http://example.org/\r\nX: y',
      'http://example.org/#f',
      'http://::1/',
    ],
  ])('%j is malformed', (text) => {
    expect(parseAbsoluteForm(text)).toEqual({ kind: 'malformed' });
  });

  it('is told apart from a request to a server, and from another scheme', () => {
    expect(parseAbsoluteForm('/path')).toEqual({ kind: 'origin-form' });
    expect(parseAbsoluteForm('*')).toEqual({ kind: 'origin-form' });
    expect(parseAbsoluteForm('https://example.org/')).toEqual({ kind: 'other-scheme' });
    expect(parseAbsoluteForm('ftp://example.org/')).toEqual({ kind: 'other-scheme' });
  });

  it('names the machine, port and path that the WHATWG parser names, whatever is taken', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl({ validSchemes: ['http'], withQueryParameters: true }),
          fc.string().map((rest) => `http://${rest}`),
        ),
        (text) => {
          const form = parseAbsoluteForm(text);
          if (form.kind !== 'target') return;
          const url = new URL(text);
          expect(url.hostname.replace(/\.$/, '')).toBe(
            form.target.host.text.includes(':') ? `[${form.target.host.text}]` : form.target.host.text,
          );
          expect(Number(url.port || '80')).toBe(form.target.port);
          expect(url.username + url.password).toBe('');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
