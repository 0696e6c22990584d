import { BlockList, isIPv4, isIPv6 } from 'node:net';

const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const translated = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/;

/** The canonical form of an address; of `::ffff:a.b.c.d` the IPv4 address. */
export function unmappedAddress(address: string): string {
  if (isIPv4(address)) return address;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const match = mapped.exec(canonical);
  return match === null ? canonical : dotted(match[1], match[2]);
}

/**
 * Why an address is not one of the public internet: the range it lies in (IANA special-purpose address registries, and
 * the metadata services of clouds), undefined for a public one. What is no address is `invalid`.
 */
export function specialRange(address: string): string | undefined {
  if (!isIPv4(address) && (!isIPv6(address) || address.includes('%'))) return 'invalid';
  const plain = unmappedAddress(address);
  if (isIPv6(plain)) {
    // NAT64 (RFC 6052): what is reached is the IPv4 address inside.
    const match = translated.exec(plain);
    if (match !== null) return specialRange(dotted(match[1], match[2]));
  }
  const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
  return ranges.find(({ block }) => block.check(plain, family))?.name;
}

function dotted(high = '0', low = '0'): string {
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}

const ranges = [
  range('loopback', '127.0.0.0/8', '::1/128'),
  range('private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'),
  range('metadata', '169.254.169.254/32', '168.63.129.16/32'),
  range('link-local', '169.254.0.0/16', 'fe80::/10'),
  range('unspecified', '0.0.0.0/8', '::/128'),
  range('multicast', '224.0.0.0/4', 'ff00::/8'),
  range(
    'reserved',
    ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['240.0.0.0/4', '::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16'],
    ...['3fff::/20', '5f00::/16'],
  ),
];

function range(name: string, ...networks: readonly string[]): { readonly name: string; readonly block: BlockList } {
  const block = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    block.addSubnet(address, Number(prefix), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return { name, block };
}
