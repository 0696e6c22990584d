import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@reeve/protocol';
import { chooseShim, httpEntry, stdioEntry } from './endpoint/agent-entry.ts';
import type { HttpEndpoints } from './endpoint/http-endpoints.ts';
import { openSocketEndpoint } from './endpoint/socket-endpoint.ts';
import type { GatewayOptions, OpenServers, SessionServers } from './mcp-gateway.ts';
import { ServerRelay } from './relay/server-relay.ts';
import type { ServerStatus } from './server-status.ts';
import { linkOpener } from './upstream/open-link.ts';

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
