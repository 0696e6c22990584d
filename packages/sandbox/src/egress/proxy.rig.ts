import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllowList } from './allow-list.ts';
import { createConnectionBudget } from './connection-budget.ts';
import type { EgressDecision } from './egress-decision.ts';
import { defaultEgressLimits, type EgressLimits } from './egress-limits.ts';
import { createEgressProxy } from './egress-proxy.ts';
import { type NameLookup, systemLookup } from './name-lookup.ts';
import { createOutbound } from './outbound.ts';

/** A proxy on a unix socket that only this user may open. */
export interface ProxyRig extends AsyncDisposable {
  readonly path: string;
  readonly decisions: readonly EgressDecision[];
  /** The decisions without their times and targets. */
  verdicts(): readonly string[];
  /** Connections that are open at the proxy. */
  connections(): number;
  open(): Promise<Socket>;
  /** Sends bytes, and answers all that came back until the proxy closed. */
  exchange(text: string): Promise<string>;
}

export interface ProxyRigOptions {
  readonly allow: readonly string[];
  readonly limits?: Partial<EgressLimits>;
  readonly lookup?: NameLookup;
}

export async function startProxy({ allow, limits = {}, lookup = systemLookup }: ProxyRigOptions): Promise<ProxyRig> {
  const parsed = parseAllowList(allow);
  if (parsed.kind === 'malformed') throw new Error(parsed.message);
  const decisions: EgressDecision[] = [];
  const all = { ...defaultEgressLimits, ...limits };
  const onDecision = (decision: EgressDecision) => void decisions.push(decision);
  const outbound = createOutbound({ list: parsed.list, limits: all, lookup, onDecision });
  const budget = createConnectionBudget(all.maxConnections, () => outbound.deny('too-many-connections'));
  const server = createEgressProxy({ outbound, budget, limits: all });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const directory = mkdtempSync(join(tmpdir(), 'reeve-proxy-'));
  const path = join(directory, 'proxy');
  await once(server.listen(path), 'listening');
  chmodSync(path, 0o600);

  const open = async () => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  return {
    path,
    decisions,
    verdicts: () => decisions.map(({ decision, reason }) => `${decision}: ${reason}`),
    connections: () => sockets.size,
    open,
    async exchange(text) {
      const socket = await open();
      socket.write(text, 'latin1');
      return (await readAll(socket)).toString('latin1');
    },
    async [Symbol.asyncDispose]() {
      server.close();
      budget[Symbol.dispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A service on loopback. */
export interface Upstream extends AsyncDisposable {
  readonly port: number;
  readonly endpoint: string;
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
  /** How many were ever opened. */
  connections(): number;
}

export function httpUpstream(
  answer: RequestListener,
  address = '127.0.0.1',
): Promise<Upstream & { server: HttpServer }> {
  return upstream(createHttpServer(answer), address);
}

export function tcpUpstream(serve: (socket: Socket) => void, address = '127.0.0.1'): Promise<Upstream> {
  return upstream(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      serve(socket);
    }),
    address,
  );
}

/** All bytes until the other side ends or breaks off. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk)).resume();
  if (!socket.readableEnded && !socket.destroyed) {
    await new Promise<void>((resolve) => socket.once('end', resolve).once('close', resolve));
  }
  socket.destroy();
  return Buffer.concat(chunks);
}

async function upstream<S extends Server>(server: S, address: string): Promise<Upstream & { server: S }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, address), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    endpoint: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
    sockets,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
