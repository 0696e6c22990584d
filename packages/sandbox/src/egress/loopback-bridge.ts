import { createServer, type Server, type Socket } from 'node:net';
import type { LoopbackEndpoint } from './allow-list.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import type { EgressLimits } from './egress-limits.ts';
import { joinSockets } from './join-sockets.ts';
import type { Outbound } from './outbound.ts';

export interface LoopbackBridgeParts {
  readonly endpoint: LoopbackEndpoint;
  readonly outbound: Outbound;
  readonly budget: ConnectionBudget;
  readonly limits: EgressLimits;
}

/** Carries each connection to the declared service of this machine. The caller lets it listen and closes it. */
export function createLoopbackBridge({ endpoint, outbound, budget, limits }: LoopbackBridgeParts): Server {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
  server.on('connection', (client) => {
    client.on('error', () => client.destroy());
    if (budget.admit(client)) void carry(client);
  });
  return server;

  async function carry(client: Socket): Promise<void> {
    const opened = await outbound.openLoopback(endpoint, client);
    // As if the service itself had refused: there is no protocol here to say more in.
    if (opened.kind === 'refused') client.resetAndDestroy();
    else joinSockets(client, opened.socket, limits.halfOpenTimeoutMs);
  }
}
