import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type AllowList, type LoopbackEndpoint, parseAllowList } from './allow-list.ts';
import { createConnectionBudget } from './connection-budget.ts';
import type { EgressDecision } from './egress-decision.ts';
import { defaultEgressLimits as limits } from './egress-limits.ts';
import { createLoopbackBridge } from './loopback-bridge.ts';
import { systemLookup } from './name-lookup.ts';
import { createOutbound } from './outbound.ts';
import { readAll, tcpUpstream } from './proxy.rig.ts';

async function bridge(entry: string, maxConnections = 10) {
  const parsed = parseAllowList([entry]);
  if (parsed.kind === 'malformed') throw new Error(parsed.message);
  const list: AllowList = parsed.list;
  const decisions: EgressDecision[] = [];
  const onDecision = (decision: EgressDecision) => void decisions.push(decision);
  const outbound = createOutbound({ list, limits, lookup: systemLookup, onDecision });
  const budget = createConnectionBudget(maxConnections, () => outbound.deny('too-many-connections'));
  const endpoint = list.loopback[0] as LoopbackEndpoint;
  const server = createLoopbackBridge({ endpoint, outbound, budget, limits });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    decisions,
    open: () => connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true }),
    [Symbol.dispose]() {
      server.close();
      budget[Symbol.dispose]();
    },
  };
}

describe('the bridge to a service on loopback', () => {
  it('carries both directions, each to its own end', async () => {
    await using service = await tcpUpstream((socket) => void socket.pipe(socket));
    using bridged = await bridge(service.endpoint);
    const socket = bridged.open();
    socket.end('there and back');
    expect((await readAll(socket)).toString()).toBe('there and back');
    expect(bridged.decisions).toMatchObject([{ host: '127.0.0.1', port: service.port, decision: 'allowed' }]);
  });

  it('finds a service that was declared by localhost and listens on IPv6 only', async ({ skip }) => {
    const service = await tcpUpstream((socket) => void socket.end('six'), '::1').catch(() => undefined);
    if (service === undefined) return skip('this machine has no IPv6');
    using bridged = await bridge(`localhost:${service.port}`);
    expect((await readAll(bridged.open())).toString()).toBe('six');
    await service[Symbol.asyncDispose]();
  });

  it('breaks off, as a refusal would, when the service is not there', async () => {
    const service = await tcpUpstream(() => {});
    await service[Symbol.asyncDispose]();
    using bridged = await bridge(service.endpoint);
    const socket = bridged.open();
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
    expect(bridged.decisions).toMatchObject([{ decision: 'failed', reason: 'unreachable' }]);
  });

  it('takes no connection over the limit of its child', async () => {
    await using service = await tcpUpstream((socket) => void socket.pipe(socket));
    using bridged = await bridge(service.endpoint, 1);
    const first = bridged.open();
    first.write('x');
    await once(first, 'data');
    const second = bridged.open();
    second.on('error', () => {});
    expect(await readAll(second)).toEqual(Buffer.alloc(0));
    expect(bridged.decisions.map(({ reason }) => reason)).toEqual(['declared', 'too-many-connections']);
    first.destroy();
  });
});
