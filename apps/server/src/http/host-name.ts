import { isIP } from 'node:net';

export interface Authority {
  /** Lower case, without a final dot; an IPv6 address without brackets, in its short form. */
  readonly name: string;
  /** Undefined where none is written. */
  readonly port: number | undefined;
}

/** Reads `name`, `name:port`, `[v6]` or `[v6]:port` as a `Host` header has it (RFC 9110, section 7.2). */
export function parseAuthority(text: string): Authority | undefined {
  const match = /^(\[[0-9a-fA-F:.]{2,45}\]|[^\s:@/\\?#[\]%]{1,255})(?::(\d{1,5}))?$/.exec(text);
  const written = match?.[1];
  if (written === undefined) return undefined;
  const port = match?.[2] === undefined ? undefined : Number(match[2]);
  if (port !== undefined && port > 65535) return undefined;
  const url = URL.parse(`http://${written}/`);
  const name = url?.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return name ? { name, port } : undefined;
}

/** A name that no DNS answer can point elsewhere: `localhost`, what ends in `.localhost` (RFC 6761), 127.0.0.0/8, ::1. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}

export function isAddress(name: string): boolean {
  return isIP(name) !== 0;
}

/** The address that stands for every address of the machine. */
export function isAnyAddress(name: string): boolean {
  return name === '0.0.0.0' || name === '::' || name === '';
}

function isLoopbackAddress(name: string): boolean {
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || /^::ffff:7f[0-9a-f]{2}:/.test(name);
}
