import type { EnforcementFact, FactPlace } from './fact-parts.ts';

/** Longest text of a client or agent that is kept: names, versions, ids of requests. */
const MAX_TEXT = 200;
/** Files that one fact names at most, where they are not the roots of a boundary: an agent may name any number. */
export const MAX_LOCATIONS = 64;
/** As a boundary may name. */
const MAX_HOSTS = 256;
/** Topics of the gaps that packages/sandbox tells. */
const TOPICS: ReadonlySet<string> = new Set(['files', 'network', 'limits', 'kernel', 'tree', 'processes']);
/** What a tool is called, and never what it is called with: no white space, and no path. */
const TOOL_NAME = /^[\w.:@-]{1,128}$/;
/** Of MCP. */
const METHOD = /^[a-z]+(?:\/[a-z][A-Za-z_]*){1,2}$/;

/** One line that has a canonical form: without control characters, and cut where it is too long. */
export function plainText(text: string, max = MAX_TEXT): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, max)
    .toWellFormed();
}

/** The name of a tool or method; undefined where it may be something else. */
export function toolName(name: string): string | undefined {
  return TOOL_NAME.test(name) || METHOD.test(name) ? name : undefined;
}

export function boundedHosts(
  network: 'none' | 'full' | readonly string[] | undefined,
): 'none' | 'full' | readonly string[] | undefined {
  if (network === undefined || typeof network === 'string') return network;
  return network.slice(0, MAX_HOSTS).map((host) => plainText(host));
}

/**
 * `verified`: whether the backend was tried on this machine by a process that tried to get out, which is how packages/sandbox
 * chooses one; nothing is, where nothing holds the process.
 */
export function shownEnforcement({ backend, fs, network, limits, gaps }: EnforcementFact): {
  readonly [name: string]: unknown;
} {
  const topics = gaps.map((gap) => gap.split(':', 1)[0] ?? '').map((topic) => (TOPICS.has(topic) ? topic : 'other'));
  return {
    backend,
    fs,
    network,
    limits,
    gaps: [...new Set(topics)].sort(),
    verified: backend === 'none' ? 'no' : 'machine',
  };
}

/** How many of the places were left out. */
export function more(places: readonly FactPlace[]): { readonly moreLocations?: number } {
  return places.length <= MAX_LOCATIONS ? {} : { moreLocations: places.length - MAX_LOCATIONS };
}
