import type { BoundaryNetwork } from '@reeve/protocol';

/** How one network rule stands to another. */
export type NetworkChange = 'same' | 'narrower' | 'wider' | 'other';

/** One host pattern and port; an entry without a port means two of them. */
interface Endpoint {
  /** In small letters; `*.name` for every name below it. */
  readonly host: string;
  readonly port: string;
}

const DEFAULT_PORTS = ['443', '80'];

/** What both rules let through; entries of the first come first. */
export function intersectNetwork(one: BoundaryNetwork, other: BoundaryNetwork): BoundaryNetwork {
  if (one === 'none' || other === 'none') return 'none';
  if (one === 'full') return other;
  if (other === 'full') return one;
  const [ours, theirs] = [endpoints(one), endpoints(other)];
  const both = [
    ...ours.filter((endpoint) => theirs.some((wider) => covers(wider, endpoint))),
    ...theirs.filter((endpoint) => ours.some((wider) => covers(wider, endpoint))),
  ];
  return both.length === 0 ? 'none' : { allow: entries(both) };
}

/** What either rule lets through. */
export function uniteNetwork(one: BoundaryNetwork, other: BoundaryNetwork): BoundaryNetwork {
  if (one === 'full' || other === 'full') return 'full';
  if (one === 'none') return other;
  if (other === 'none') return one;
  return { allow: entries([...endpoints(one), ...endpoints(other)]) };
}

export function compareNetwork(before: BoundaryNetwork, after: BoundaryNetwork): NetworkChange {
  const [kept, added] = [includes(after, before), includes(before, after)];
  if (kept) return added ? 'same' : 'wider';
  return added ? 'narrower' : 'other';
}

function includes(wide: BoundaryNetwork, narrow: BoundaryNetwork): boolean {
  if (wide === 'full' || narrow === 'none') return true;
  if (narrow === 'full') return false;
  const wider = wide === 'none' ? [] : endpoints(wide);
  return endpoints(narrow).every((endpoint) => wider.some((one) => covers(one, endpoint)));
}

function covers(wide: Endpoint, narrow: Endpoint): boolean {
  if (wide.port !== narrow.port) return false;
  return wide.host === narrow.host || (wide.host.startsWith('*.') && narrow.host.endsWith(wide.host.slice(1)));
}

function endpoints({ allow }: { readonly allow: readonly string[] }): Endpoint[] {
  return allow.flatMap((entry) => {
    const [, host = entry, port] = /^(.*?[^:]|\[.*\]):(\d+)$/.exec(entry) ?? [];
    const ports = port === undefined ? DEFAULT_PORTS : [String(Number(port))];
    return ports.map((one) => ({ host: host.toLowerCase(), port: one }));
  });
}

/** Endpoints as entries, each once; a host with both default ports is named without one. */
function entries(found: readonly Endpoint[]): string[] {
  const ports = Map.groupBy(found, ({ host }) => host);
  return [...ports].flatMap(([host, all]) => {
    const named = new Set(all.map(({ port }) => port));
    const bare = DEFAULT_PORTS.every((port) => named.has(port));
    const rest = [...named].filter((port) => !bare || !DEFAULT_PORTS.includes(port));
    return [...(bare ? [host] : []), ...rest.map((port) => `${host}:${port}`)];
  });
}
