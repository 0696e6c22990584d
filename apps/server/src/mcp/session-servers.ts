import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@reeve/protocol';
import type { SandboxSocket } from '@reeve/sandbox';
import type { ServerGuard } from '../boundary/server-guard.ts';
import type { CreateCallGate } from './call-gate.ts';
import { chooseShim, httpEntry, stdioEntry } from './endpoint/agent-entry.ts';
import type { HttpEndpoints } from './endpoint/http-endpoints.ts';
import { openSocketEndpoint } from './endpoint/socket-endpoint.ts';
import type { GatewayLimits } from './gateway-limits.ts';
import { ServerRelay } from './relay/server-relay.ts';
import type { ServerLauncher } from './server-launch.ts';
import type { ServerStatus } from './server-status.ts';
import { linkOpener } from './upstream/open-link.ts';

export interface GatewayOptions {
  /** Under it each session has a directory of mode 0700. Short: the path of a unix socket has at most 107 bytes. */
  readonly socketsIn: string;
  /** Reeve's version, for `clientInfo`. */
  readonly version: string;
  /** Absolute path of `socat`, where it is there: a lighter way for stdio than our own script. */
  readonly socat: string | undefined;
  readonly launcher: ServerLauncher;
  readonly createGate: CreateCallGate;
  readonly limits: GatewayLimits;
  /** For the diagnostic log. The facts hold no secret, no path and no argument. */
  readonly warn: (message: string, facts: JsonObject) => void;
}

export interface OpenServers {
  /** One for each server; their names are distinct. */
  readonly guards: readonly ServerGuard[];
  /** What the agent takes: a command, or for those that refuse commands streamable HTTP. */
  readonly endpoint: 'stdio' | 'http';
  /** See `CreateCallGate`. */
  readonly toolTimeoutMs?: number;
}

/** The MCP servers of one session, for its agent. Dispose ends endpoints, calls and server processes. */
export interface SessionServers extends AsyncDisposable {
  /** Entries of `mcpServers` (ACP, session setup), in the order of the guards, under the same names. Those of http hold secrets. */
  readonly forAgent: readonly JsonObject[];
  /** What the agent's sandbox must let it see and reach. */
  readonly shown: {
    readonly sockets: readonly SandboxSocket[];
    readonly readOnly: readonly string[];
    /** Hosts for the rule of its network: `127.0.0.1:PORT`. */
    readonly hosts: readonly string[];
  };
  /** In the order of the guards. */
  servers(): readonly ServerStatus[];
  /** The last bytes of the server's stderr (`limits.mcpStderrTailBytes`), of the process before too; undefined for an unknown name. */
  stderrTail(name: string): string | undefined;
  /** Starts a server that failed or was refused; asks again for admission. False for an unknown name. */
  retry(name: string): boolean;
  /** Called after each change of what `servers()` says. */
  watch(listener: (status: ServerStatus) => void): Disposable;
  /** The turn was cancelled: calls that wait for a person are refused. */
  dropHolds(reason: string): void;
}

/** Opens the endpoints of one session and lets its servers start. Nothing is left open when it rejects. */
export async function openSessionServers(
  options: GatewayOptions,
  http: HttpEndpoints,
  { guards, endpoint, toolTimeoutMs }: OpenServers,
): Promise<SessionServers> {
  await using opened = new AsyncDisposableStack();
  const listeners = new Set<(status: ServerStatus) => void>();
  const relays = new Map<string, ServerRelay>();
  const forAgent: JsonObject[] = [];
  const sockets: { path: string; socket: string }[] = [];
  const hosts = new Set<string>();
  const shim = chooseShim(options.socat);

  const directory = await mkdtemp(join(options.socketsIn, 'reeve-mcp-')); // Of mode 0700.
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  opened.defer(async () => {
    await Promise.all([...relays.values()].map((relay) => relay[Symbol.asyncDispose]()));
  });
  for (const [index, guard] of guards.entries()) {
    const { name } = guard.server;
    const relay = new ServerRelay({
      guard,
      openLink: linkOpener(guard, options.launcher, options.limits),
      mustReplace: (change) => options.launcher.mustReplace(change),
      createGate: (guarded) => options.createGate(guarded, toolTimeoutMs),
      limits: options.limits,
      warn: options.warn,
      onChange: (status) => {
        for (const listener of listeners) listener(status);
      },
    });
    relays.set(name, relay);
    if (endpoint === 'http') {
      const added = opened.use(await http.add(relay));
      hosts.add(added.host);
      forAgent.push(httpEntry(name, added.url, added.secret));
      continue;
    }
    const path = join(directory, `${index}.sock`);
    const { mcpMessageBytes: maxLineBytes, mcpQueueBytes: maxUnreadBytes } = options.limits;
    opened.use(await openSocketEndpoint({ path, relay, maxLineBytes, maxUnreadBytes }));
    sockets.push({ path, socket: path });
    forAgent.push(stdioEntry(name, shim, path));
  }

  const owned = opened.move();
  return {
    forAgent,
    shown: { sockets, readOnly: sockets.length > 0 ? shim.readOnly : [], hosts: [...hosts] },
    servers: () => [...relays.values()].map((relay) => relay.status()),
    stderrTail: (name) => relays.get(name)?.stderrTail(),
    retry: (name) => {
      relays.get(name)?.retry();
      return relays.has(name);
    },
    watch: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    dropHolds: (reason) => {
      for (const relay of relays.values()) relay.dropHolds(reason);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
