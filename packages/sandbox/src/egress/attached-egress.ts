import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:net';
import type { AllowList, LoopbackEndpoint } from './allow-list.ts';
import { createConnectionBudget } from './connection-budget.ts';
import type { EgressDecision } from './egress-decision.ts';
import type { EgressLimits } from './egress-limits.ts';
import { createEgressProxy } from './egress-proxy.ts';
import { createLoopbackBridge } from './loopback-bridge.ts';
import type { NameLookup } from './name-lookup.ts';
import { createOutbound } from './outbound.ts';
import { type ListenerHandle, receiveListeners } from './received-listeners.ts';

/** The network of one running child. Disposing is idempotent and closes every connection of it. */
export interface AttachedEgress extends Disposable {
  /** Never rejects. Until it is `ready`, the connections of the child wait; they are not refused. */
  readonly ready: Promise<EgressReady>;
}

export type EgressReady =
  | { readonly kind: 'ready' }
  /** The child has ended before: a short command, or one that could not be run; its exit code and stderr tell. */
  | { readonly kind: 'ended' }
  /** The child was killed. */
  | { readonly kind: 'failed'; readonly message: string };

export interface AttachOptions {
  readonly child: ChildProcess;
  readonly list: AllowList;
  /** In the order of the gate, behind the proxy. */
  readonly bridged: readonly LoopbackEndpoint[];
  readonly limits: EgressLimits;
  readonly lookup: NameLookup;
  readonly onDecision: (decision: EgressDecision) => void;
}

/** How long a child whose channel has ended too early may take to end, before it is killed. */
const lostGraceMs = 2_000;
const lost: EgressReady = {
  kind: 'failed',
  message:
    'The sandbox closed the channel for its network too early, so its network is closed. Start the session again.',
};

/** Connections that the kernel keeps while the server is busy. */
const backlog = 1_024;

export function attachEgress({ child, list, bridged, limits, lookup, onDecision }: AttachOptions): AttachedEgress {
  const outbound = createOutbound({ list, limits, lookup, onDecision });
  const budget = createConnectionBudget(limits.maxConnections, () => outbound.deny('too-many-connections'));
  const parts = { outbound, budget, limits };
  const servers: readonly Server[] = [
    createEgressProxy(parts),
    ...bridged.map((endpoint) => createLoopbackBridge({ ...parts, endpoint })),
  ];
  let closed = false;

  const close = () => {
    if (closed) return;
    closed = true;
    child.off('exit', close);
    for (const server of servers) server.close();
    budget[Symbol.dispose]();
  };

  async function begin(): Promise<EgressReady> {
    const received = await receiveListeners(child, { count: servers.length, timeoutMs: limits.attachTimeoutMs });
    if (received.kind === 'failed') return received;
    if (received.kind === 'lost') return (await endsWithin(child, lostGraceMs)) ? { kind: 'ended' } : lost;
    if (closed) {
      for (const handle of received.handles) handle.close();
      return { kind: 'ended' };
    }
    try {
      await Promise.all(servers.map((server, index) => listenOn(server, received.handles[index] as ListenerHandle)));
      return { kind: 'ready' };
    } catch {
      return { kind: 'failed', message: 'The listeners of the sandbox cannot be used. Start the session again.' };
    }
  }

  child.once('exit', close);
  const ready = begin().then((result) => {
    if (result.kind !== 'ready') close();
    if (result.kind === 'failed') child.kill('SIGKILL');
    return result;
  });
  return { ready, [Symbol.dispose]: close };
}

async function listenOn(server: Server, handle: ListenerHandle): Promise<void> {
  await once(server.listen(handle, backlog), 'listening');
  server.on('error', () => {}); // Of one connection that could not be accepted: it stays with the kernel, or is gone.
}

async function endsWithin(child: ChildProcess, ms: number): Promise<boolean> {
  const ended = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  if (!ended()) await once(child, 'exit', { signal: AbortSignal.timeout(ms) }).catch(() => {});
  return ended();
}
