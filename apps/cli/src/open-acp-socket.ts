import type { IncomingMessage } from 'node:http';
import { CallError, errorOfResponse } from '@reeve/client';
import { WebSocket } from 'ws';

/** Opens the WebSocket of a server. Rejects with what the server said when it refused the upgrade. */
export function openAcpSocket(url: URL): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const token = url.searchParams.get('access_token');
    url.searchParams.delete('access_token');
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, maxPayload: 0 });
    socket.once('open', () => resolve(socket));
    socket.once('error', (cause) =>
      reject(
        new CallError({
          code: 'unreachable',
          message: `no server answers at ${url.origin}`,
          next: 'Start one with "reeve serve", or check the address.',
          cause,
        }),
      ),
    );
    socket.once('unexpected-response', (_request, response: IncomingMessage) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => {
        reject(errorOfResponse(response.statusCode ?? 500, body));
        socket.terminate();
      });
    });
  });
}
