import { domainToASCII } from 'node:url';
import { formatEndpoint, type Host, parseHost, parsePort } from './host.ts';

/** A host and port that something inside asks for. */
export interface Target {
  readonly host: Host;
  readonly port: number;
}

/** A service on the server's own machine that was declared by `localhost`, a 127.0.0.0/8 address or `[::1]`. */
export interface LoopbackEndpoint {
  /** Where it is reached inside, under the same port: 127.x.y.z or ::1. */
  readonly address: string;
  readonly port: number;
  /** Where it is on the host, in the order to try. */
  readonly upstream: readonly string[];
}

/** What a session may connect to. Built by `parseAllowList` only. */
export interface AllowList {
  /** Whether the target is declared, by its exact name or address or by a wildcard. */
  declares(target: Target): boolean;
  /** Whether this very address is declared for this port, so that it may be in a special range. */
  declaresAddress(address: string, port: number): boolean;
  readonly loopback: readonly LoopbackEndpoint[];
}

export type ParsedAllowList =
  | { readonly kind: 'parsed'; readonly list: AllowList }
  | { readonly kind: 'malformed'; readonly entry: string; readonly message: string };

const defaultPorts = [443, 80];

/** `localhost` and the loopback addresses mean the same machine: who declared one may ask for it by its name too. */
const localhost = 'localhost';
const localhostAddresses = ['127.0.0.1', '::1'];

/**
 * Reads entries `host[:port]`: a name, an address (IPv6 in brackets), or `*.name` for every name below it but not
 * itself. Without a port, 443 and 80.
 */
export function parseAllowList(entries: readonly string[]): ParsedAllowList {
  const exact = new Set<string>();
  const below: { readonly suffix: string; readonly port: number }[] = [];
  const loopback = new Map<string, LoopbackEndpoint>();

  for (const entry of entries) {
    const parts = split(entry);
    if (parts === undefined) return malformed(entry);
    const { wildcard, host, ports } = parts;
    for (const port of ports) {
      if (wildcard) {
        below.push({ suffix: `.${host.text}`, port });
        continue;
      }
      exact.add(formatEndpoint(host.text, port));
      for (const endpoint of loopbackEndpoints(host, port)) {
        if (localhostAddresses.includes(endpoint.address)) exact.add(formatEndpoint(localhost, port));
        for (const address of endpoint.upstream) exact.add(formatEndpoint(address, port));
        const key = formatEndpoint(endpoint.address, port);
        const known = loopback.get(key)?.upstream ?? [];
        loopback.set(key, { ...endpoint, upstream: [...new Set([...known, ...endpoint.upstream])] });
      }
    }
  }

  return {
    kind: 'parsed',
    list: {
      declares: ({ host, port }) =>
        exact.has(formatEndpoint(host.text, port)) ||
        (host.kind === 'name' && below.some((entry) => entry.port === port && host.text.endsWith(entry.suffix))),
      declaresAddress: (address, port) => exact.has(formatEndpoint(address, port)),
      loopback: [...loopback.values()],
    },
  };
}

/**
 * Where on the host a loopback target is to be looked for, in the order to try. Undefined for every other host, and for
 * what is not declared.
 */
export function loopbackUpstream(list: AllowList, { host, port }: Target): readonly string[] | undefined {
  const found = list.loopback.filter(
    (endpoint) =>
      endpoint.port === port &&
      (endpoint.address === host.text || (host.text === localhost && localhostAddresses.includes(endpoint.address))),
  );
  return found.length === 0 ? undefined : [...new Set(found.flatMap(({ upstream }) => upstream))];
}

function loopbackEndpoints(host: Host, port: number): LoopbackEndpoint[] {
  if (host.text === localhost) return [{ address: '127.0.0.1', port, upstream: localhostAddresses }];
  const isLoopback = host.kind === 'address' && (host.text === '::1' || host.text.startsWith('127.'));
  return isLoopback ? [{ address: host.text, port, upstream: [host.text] }] : [];
}

function split(
  entry: string,
): { readonly wildcard: boolean; readonly host: Host; readonly ports: readonly number[] } | undefined {
  const match = /^(\*\.)?(\[[^\]]*\]|[^:[\]]+)(?::(\d+))?$/.exec(entry);
  if (match === null) return undefined;
  const [, star, text = '', digits] = match;
  const host = parseHost(/^[\x21-\x7e]*$/.test(text) ? text : domainToASCII(text));
  if (host === undefined || (star !== undefined && host.kind === 'address')) return undefined;
  if (digits === undefined) return { wildcard: star !== undefined, host, ports: defaultPorts };
  const port = parsePort(digits);
  return port === undefined ? undefined : { wildcard: star !== undefined, host, ports: [port] };
}

function malformed(entry: string): ParsedAllowList {
  const example =
    'write "api.example.org", "api.example.org:8443", "*.example.org", "127.0.0.1:8080" or "[2001:db8::1]:443"';
  const hint = entry.includes('/') ? `without scheme and path: ${example}` : example;
  const everything =
    entry.startsWith('*') && !entry.startsWith('*.') ? ' To allow every host, make the rule "full".' : '';
  return {
    kind: 'malformed',
    entry,
    message: `"${entry}" is not a host that a network rule can allow: ${hint}.${everything}`,
  };
}
