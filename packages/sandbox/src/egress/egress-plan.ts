import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { type AllowList, type LoopbackEndpoint, parseAllowList } from './allow-list.ts';
import { type AttachedEgress, attachEgress } from './attached-egress.ts';
import type { EgressDecision } from './egress-decision.ts';
import { defaultEgressLimits, type EgressLimits } from './egress-limits.ts';
import type { Machine } from './encoder.ts';
import { buildGateProgram } from './gate-program.ts';
import { formatEndpoint } from './host.ts';
import { type NameLookup, systemLookup } from './name-lookup.ts';

export interface EgressOptions {
  /** Entries `host[:port]` of the network rule. */
  readonly allow: readonly string[];
  /**
   * Told of each decision, as it is made: as often as the child likes, so that whoever keeps them sets a bound. What it
   * throws ends the connection.
   */
  readonly onDecision: (decision: EgressDecision) => void;
  readonly limits?: EgressLimits;
  /** The descriptor, from 3 to 255, at which the child gets Node's IPC channel; 3 unless given. */
  readonly channel?: number;
  /** Resolves names; the system's resolver unless given. */
  readonly lookup?: NameLookup;
}

/** A file that must exist inside before the command runs. */
export interface EgressFile {
  readonly path: string;
  readonly mode: number;
  readonly data: Buffer;
}

/**
 * What a process needs so that, in a network namespace of its own with `lo` up, it reaches what its allow-list says and
 * nothing else. The starter shows `file` inside, sets `env`, has `'ipc'` at place `channel` of the child's `stdio`, takes
 * `unsetEnv` away again (Node's spawn sets them), runs `wrap(command, args)` as the program of the sandbox, and calls
 * `attach` in the tick of the spawn.
 */
export interface EgressPlan {
  readonly file: EgressFile;
  readonly env: Readonly<Record<string, string>>;
  readonly unsetEnv: readonly string[];
  readonly channel: number;
  /** `command` must be a path: nothing is searched inside. */
  wrap(command: string, args: readonly string[]): { readonly command: string; readonly args: readonly string[] };
  /** Once per plan. Disposing it, or the end of the child, closes every connection. */
  attach(child: ChildProcess): AttachedEgress;
  /** What of the rule does not hold, or not everywhere. */
  readonly gaps: readonly string[];
}

export type PlannedEgress =
  | { readonly kind: 'planned'; readonly plan: EgressPlan }
  | { readonly kind: 'refused'; readonly message: string };

const gatePath = '/run/reeve/gate';
const usualProxyPort = 3128;
const maxLoopbackEndpoints = 64;

/** Ports below need a capability that nothing has inside. */
const firstOpenPort = 1024;

export function planEgress(options: EgressOptions): PlannedEgress {
  const { allow, onDecision, limits = defaultEgressLimits, channel = 3, lookup = systemLookup } = options;
  const machine = gateMachine();
  if (machine === undefined) {
    return refused(
      `A list of allowed hosts can be held on Linux on x64 and arm64 only, not on ${process.platform} ${process.arch}: make the network rule "none" or "full".`,
    );
  }
  const parsed = parseAllowList(allow);
  if (parsed.kind === 'malformed') return refused(parsed.message);
  const { bridged, gaps } = bridges(parsed.list);
  if (bridged.length > maxLoopbackEndpoints) {
    return refused(
      `${bridged.length} services on loopback are allowed, and ${maxLoopbackEndpoints} can be: name fewer of them.`,
    );
  }
  const proxyPort = freePort(bridged);
  const endpoints = [{ address: '127.0.0.1', port: proxyPort }, ...bridged];
  const plan: EgressPlan = {
    file: { path: gatePath, mode: 0o555, data: buildGateProgram({ machine, endpoints, channel }) },
    env: proxyVariables(proxyPort),
    unsetEnv: ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'],
    channel,
    wrap: (command, args) => ({ command: gatePath, args: [command, ...args] }),
    attach: (child) => attachEgress({ child, list: parsed.list, bridged, limits, lookup, onDecision }),
    gaps,
  };
  return { kind: 'planned', plan };
}

/** Declared loopback services that get a listener inside; the others are reached through the proxy only. */
function bridges(list: AllowList): { readonly bridged: readonly LoopbackEndpoint[]; readonly gaps: readonly string[] } {
  const hasIpv6 = existsSync('/proc/net/if_inet6');
  const possible = ({ address, port }: LoopbackEndpoint) => port >= firstOpenPort && (isIPv4(address) || hasIpv6);
  const gaps = list.loopback
    .filter((endpoint) => !possible(endpoint))
    .map(({ address, port }) => formatEndpoint(address, port))
    .map((endpoint) => `network: ${endpoint} is reached through the proxy only, not by a direct connection`);
  return { bridged: list.loopback.filter(possible), gaps };
}

function freePort(bridged: readonly LoopbackEndpoint[]): number {
  let port = usualProxyPort;
  while (bridged.some((endpoint) => endpoint.port === port)) port += 1;
  return port;
}

/** Both cases, since programs read either; loopback is not sent to the proxy, since programs talk to themselves there. */
function proxyVariables(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const direct = '127.0.0.1,localhost,::1';
  const pairs = [
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [name, proxy] as const),
    ['NO_PROXY', direct] as const,
  ].flatMap(([name, value]) => [[name, value] as const, [name.toLowerCase(), value] as const]);
  return { ...Object.fromEntries(pairs), NODE_USE_ENV_PROXY: '1' };
}

function gateMachine(): Machine | undefined {
  if (process.platform !== 'linux') return undefined;
  return process.arch === 'x64' || process.arch === 'arm64' ? process.arch : undefined;
}

function refused(message: string): PlannedEgress {
  return { kind: 'refused', message };
}
