import { fileURLToPath } from 'node:url';
import { connectWebSocket, JsonRpcPeer, startAgent } from '@reeve/testkit';
import type { ClientTransport, ReeveAddress } from '../sdk-client.ts';
import { httpTransport } from './http-transport.ts';

/** A raw connection to a Reeve: sees every message as it came. Disposing closes it. */
export interface WirePeer extends AsyncDisposable {
  readonly peer: JsonRpcPeer;
  /** What the server refused beside the protocol, such as by a status of HTTP. */
  readonly refusals: readonly string[];
}

const cli = fileURLToPath(new URL('../../apps/cli/bin/reeve.js', import.meta.url));

export async function openWirePeer(reeve: ReeveAddress, transport: ClientTransport, agent: string): Promise<WirePeer> {
  switch (transport) {
    case 'websocket': {
      const url = `${reeve.url}/acp?agent=${encodeURIComponent(agent)}`;
      const peer = await connectWebSocket(url, { token: reeve.token });
      return { peer, refusals: [], [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() };
    }
    case 'http': {
      const carrier = httpTransport(reeve, agent);
      const peer = new JsonRpcPeer(carrier);
      return {
        peer,
        refusals: carrier.refusals,
        [Symbol.asyncDispose]: async () => {
          peer.close();
          await peer.closed;
        },
      };
    }
    case 'stdio': {
      const args = [cli, 'acp', '--url', reeve.url, '--agent', agent];
      const bridge = startAgent({ command: { command: process.execPath, args, env: { REEVE_TOKEN: reeve.token } } });
      return { peer: bridge.peer, refusals: [], [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose]() };
    }
  }
}
