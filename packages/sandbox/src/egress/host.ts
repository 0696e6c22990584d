import { isIPv4, isIPv6 } from 'node:net';
import { unmappedAddress } from './address.ts';

/**
 * Whom a connection is meant for. A name is in lower case without a trailing dot; an address is in its canonical form,
 * an IPv4 address mapped into IPv6 is the IPv4 address. Two hosts are the same exactly if `text` is.
 */
export interface Host {
  readonly kind: 'name' | 'address';
  readonly text: string;
}

const longestName = 253;
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/**
 * Reads the host of a request or of an allow-list entry; IPv6 stands in brackets. Undefined for everything that two
 * programs could read differently: numeric forms such as `127.1` or `0x7f000001`, zones, user names, escapes, names
 * that are not ASCII.
 */
export function parseHost(text: string): Host | undefined {
  if (text.startsWith('[')) return text.endsWith(']') ? parseIpv6(text.slice(1, -1)) : undefined;
  if (isIPv4(text)) return { kind: 'address', text };
  const name = (text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase();
  if (name.length > longestName) return undefined;
  const labels = name.split('.');
  // What ends in a number is an IPv4 address to many parsers (WHATWG URL, section 3.5), and not a canonical one here.
  if (!labels.every((part) => label.test(part)) || /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) as string))
    return undefined;
  return { kind: 'name', text: name };
}

/** 1 to 65,535 in decimal digits without a leading zero, else undefined. */
export function parsePort(text: string): number | undefined {
  if (!/^[1-9]\d{0,4}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}

/** `host:port` with IPv6 in brackets, as it stands in a CONNECT request and in an allow-list. */
export function formatEndpoint(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseIpv6(text: string): Host | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined;
  return { kind: 'address', text: unmappedAddress(text) };
}
