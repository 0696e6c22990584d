import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AllowList, parseAllowList } from './allow-list.ts';
import { formatEndpoint, parseHost } from './host.ts';
import { parseAuthority } from './request-target.ts';

function list(...entries: string[]): AllowList {
  const parsed = parseAllowList(entries);
  if (parsed.kind === 'malformed') throw new Error(parsed.message);
  return parsed.list;
}

function declares(entries: AllowList, endpoint: string): boolean {
  const target = parseAuthority(endpoint);
  return target !== undefined && entries.declares(target);
}

describe('an allow-list', () => {
  it('means ports 443 and 80 by an entry without a port, and that port alone by one with it', () => {
    const entries = list('api.example.org', 'other.example:8443');
    expect(
      [
        'api.example.org:443',
        'api.example.org:80',
        'api.example.org:8443',
        'other.example:8443',
        'other.example:443',
      ].map((endpoint) => declares(entries, endpoint)),
    ).toEqual([true, true, false, true, false]);
  });

  it('does not care for case and a trailing dot', () => {
    expect(declares(list('API.Example.ORG.'), 'api.example.org:443')).toBe(true);
    expect(declares(list('api.example.org'), 'API.EXAMPLE.ORG.:443')).toBe(true);
  });

  it('takes a name that is not ASCII by what it is in DNS', () => {
    expect(declares(list('bücher.example'), 'xn--bcher-kva.example:443')).toBe(true);
  });

  it('means by a wildcard every name below, at any depth, and not the name itself nor one that ends alike', () => {
    const entries = list('*.example.org');
    expect(
      ['a.example.org:443', 'a.b.example.org:80', 'example.org:443', 'badexample.org:443', 'a.example.org:22'].map(
        (endpoint) => declares(entries, endpoint),
      ),
    ).toEqual([true, true, false, false, false]);
    expect(declares(entries, 'example.org.evil.example:443')).toBe(false);
  });

  it('takes an address by any way of writing it, and no name for it', () => {
    const entries = list('[2001:db8::1]:443', '10.0.0.5:8080');
    expect(declares(entries, '[2001:DB8:0:0::1]:443')).toBe(true);
    expect(declares(entries, '[::ffff:10.0.0.5]:8080')).toBe(true);
    expect(entries.declaresAddress('10.0.0.5', 8080)).toBe(true);
    expect(entries.declaresAddress('10.0.0.5', 443)).toBe(false);
  });

  it('knows a service on loopback by localhost too, in both directions', () => {
    for (const entry of ['localhost:8080', '127.0.0.1:8080']) {
      expect(declares(list(entry), 'localhost:8080')).toBe(true);
      expect(declares(list(entry), '127.0.0.1:8080')).toBe(true);
    }
    expect(declares(list('127.0.0.1:8080'), '[::1]:8080')).toBe(false);
    expect(declares(list('127.0.0.2:8080'), 'localhost:8080')).toBe(false);
    expect(list('localhost:8080', '127.0.0.1:8080', '[::1]:9090').loopback).toEqual([
      { address: '127.0.0.1', port: 8080, upstream: ['127.0.0.1', '::1'] },
      { address: '::1', port: 9090, upstream: ['::1'] },
    ]);
  });

  it.each([
    ...[
      '',
      '*',
      '*:443',
      '*.',
      'https://api.example.org',
      'api.example.org/v1',
      'api.example.org:0',
      'a.example:65536',
    ],
    ...[
      'a.example:',
      'a.example:http',
      '::1',
      '[::1',
      'user@a.example',
      '127.1',
      '0x7f000001',
      '*.127.0.0.1',
      '*.[::1]',
      'a b',
      'a,b',
      '**.a.example',
      'a.*.example',
    ],
  ])('refuses %j and says what to write', (entry) => {
    const parsed = parseAllowList(['fine.example', entry]);
    expect(parsed).toMatchObject({ kind: 'malformed', entry });
    if (parsed.kind === 'malformed') expect(parsed.message).toContain('api.example.org:8443');
  });

  it('says how to allow everything to who writes a star', () => {
    expect(parseAllowList(['*'])).toMatchObject({ message: expect.stringContaining('"full"') });
  });

  it('declares what it was given and nothing else', () => {
    const port = fc.integer({ min: 1, max: 65_535 });
    const endpoint = fc.tuple(fc.oneof(fc.domain(), fc.ipV4()), port);
    fc.assert(
      fc.property(fc.array(endpoint, { maxLength: 5 }), endpoint, (given, [host, port]) => {
        const asked = parseHost(host);
        fc.pre(asked !== undefined && given.every(([name]) => parseHost(name) !== undefined));
        const entries = list(...given.map(([name, at]) => `${name}:${at}`));
        for (const [name, at] of given) expect(declares(entries, `${name}:${at}`)).toBe(true);
        const expected = given.some(([name, at]) => parseHost(name)?.text === asked?.text && at === port);
        expect(declares(entries, formatEndpoint(host, port))).toBe(expected);
      }),
    );
  });
});
