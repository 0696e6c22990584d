import { isIPv4 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEndpoint, parseHost, parsePort } from './host.ts';

describe('a host', () => {
  it.each([
    ['example.org', 'example.org'],
    ['EXAMPLE.Org', 'example.org'],
    ['example.org.', 'example.org'],
    ['localhost', 'localhost'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['_dmarc.example.org', '_dmarc.example.org'],
    ['1and1.com', '1and1.com'],
  ])('%s is the name %s', (text, name) => {
    expect(parseHost(text)).toEqual({ kind: 'name', text: name });
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['[2001:DB8::00FF]', '2001:db8::ff'],
    ['[::ffff:127.0.0.1]', '127.0.0.1'],
    ['[::ffff:7f00:1]', '127.0.0.1'],
  ])('%s is the address %s', (text, address) => {
    expect(parseHost(text)).toEqual({ kind: 'address', text: address });
  });

  it.each([
    ...['', '.', '..', 'a..b', '.example.org', 'example.org..', '-a.example', 'a-.example'],
    ...[
      '127.1',
      '0x7f000001',
      '0x7f.0.0.1',
      '2130706433',
      '0177.0.0.1',
      '127.0.0.1.',
      '127.0.0.256',
      '1.2.3',
      'a.1',
      'a.0x',
      'a.0xff',
    ],
    ...[
      'user@example.org',
      'example.org@evil.example',
      'exa mple.org',
      'example.org/',
      'example.org\\',
      'example%2eorg',
      'exämple.org',
      '１２７.0.0.1',
      'a\0b',
      'a\r\nb',
    ],
    ...['::1', '[::1', '::1]', '[::1%lo]', '[fe80::1%25eth0]', '[127.0.0.1]', '[example.org]', '[]', '[[::1]]'],
    'a'.repeat(64),
    `${'a.'.repeat(126)}aa`,
  ])('%j is none', (text) => {
    expect(parseHost(text)).toBeUndefined();
  });

  it('is the same when it is read again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const host = parseHost(text) ?? parseHost(`[${text}]`);
        if (host === undefined) return;
        const written = host.text.includes(':') ? `[${host.text}]` : host.text;
        expect(parseHost(written)).toEqual(host);
      }),
      { numRuns: 2_000 },
    );
  });

  it('names the machine that the WHATWG parser names, whatever is taken', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.webAuthority(), fc.ipV4Extended(), fc.string()), (text) => {
        const host = parseHost(text);
        if (host === undefined) return;
        const url = new URL(`http://${text}/`);
        expect(url.hostname.replace(/\.$/, '').replace(/^\[|\]$/g, '')).toBe(host.text);
        expect(host.kind === 'address').toBe(isIPv4(host.text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes every IPv6 address in brackets, however it is written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const host = parseHost(`[${text}]`);
        expect(host?.kind).toBe('address');
        expect(parseHost(`[${text.toUpperCase()}]`)).toEqual(host);
      }),
    );
  });
});

describe('a port', () => {
  it('is from 1 to 65535', () => {
    fc.assert(
      fc.property(fc.integer({ min: -10, max: 100_000 }), (port) => {
        expect(parsePort(`${port}`)).toBe(port >= 1 && port <= 65_535 ? port : undefined);
      }),
    );
    for (const port of [1, 65_535]) expect(parsePort(`${port}`)).toBe(port);
  });

  it.each(['', '0', '00', '080', '+80', '-80', '80 ', '8e1', '0x50', '65536', '４４３', '1.0'])(
    '%j is none',
    (text) => {
      expect(parsePort(text)).toBeUndefined();
    },
  );

  it('stands behind an IPv6 address in brackets', () => {
    expect(formatEndpoint('::1', 80)).toBe('[::1]:80');
    expect(formatEndpoint('example.org', 443)).toBe('example.org:443');
  });
});
