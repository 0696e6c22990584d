import { WebSocket } from 'ws';
import { JsonRpcPeer, type PeerOptions } from './json-rpc-peer.ts';
import { webSocketTransport } from './message-transport.ts';

export interface WebSocketPeerOptions extends PeerOptions {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Connects to `url` (`ws:`, `wss:`, `http:` or `https:`); rejects with the status when the upgrade is refused. */
export async function connectWebSocket(url: string | URL, options: WebSocketPeerOptions = {}): Promise<JsonRpcPeer> {
  const { token, headers = {}, ...peerOptions } = options;
  const target = new URL(url);
  target.protocol = target.protocol.replace('http', 'ws');
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(target, { headers: { ...authorization, ...headers }, maxPayload: 128 * 1024 * 1024 });
  // Listening begins before the socket opens: a message may come in the same packet as the upgrade.
  const peer = new JsonRpcPeer(webSocketTransport(socket), peerOptions);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('open', resolve);
  socket.once('error', reject);
  await promise;
  return peer;
}
