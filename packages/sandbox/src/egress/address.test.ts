import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { specialRange, unmappedAddress } from './address.ts';

describe('an address that is not of the public internet', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['::1', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.100.100.200', 'private'],
    ['fd00:ec2::254', 'private'],
    ['fc00::1', 'private'],
    ['169.254.169.254', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['febf::1', 'link-local'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['192.0.0.192', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['::127.0.0.1', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'metadata'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['64:ff9b::a00:1', 'private'],
    ['64:ff9b::1', 'unspecified'],
    ['fe80::1%eth0', 'invalid'],
    ['127.1', 'invalid'],
    ['', 'invalid'],
    ['example.org', 'invalid'],
  ])('%s is %s', (address, range) => {
    expect(specialRange(address)).toBe(range);
  });

  it.each([
    ...['1.1.1.1', '93.184.215.14', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0', '169.253.255.255'],
    ...['126.255.255.255', '128.0.0.0', '223.255.255.255', '2606:4700::1111', '64:ff9b::101:101', '::ffff:1.1.1.1'],
  ])('%s is public', (address) => {
    expect(specialRange(address)).toBeUndefined();
  });

  it('is judged the same in every way of writing it', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const dotted = `${a}.${b}.${c}.${d}`;
        const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const range = specialRange(dotted);
        for (const prefix of ['::ffff:', '0:0:0:0:0:FFFF:', '64:ff9b::']) {
          expect(specialRange(prefix + dotted)).toBe(range);
          expect(specialRange(prefix + groups)).toBe(range);
        }
        expect(unmappedAddress(`::ffff:${groups}`)).toBe(dotted);
      }),
    );
  });
});
