import type { IncomingMessage } from 'node:http';
import { CallError, errorOfResponse } from '@reeve/client';
import { Command } from 'commander';
import { WebSocket } from 'ws';
import { runAcpBridge } from '../acp-bridge.ts';
import type { CommandContext } from '../command-context.ts';
import { CliError } from '../exit-codes.ts';
import type { ServerOptions } from '../find-server.ts';
import { withServerOptions } from '../server-options.ts';
import { useServer } from '../use-server.ts';

interface AcpOptions extends ServerOptions {
  readonly agent?: string;
}

const MAX_LINE_BYTES = 33_554_432;

export function acpCommand({ terminal, takeInterrupt }: CommandContext): Command {
  return withServerOptions(new Command('acp'))
    .description('speak ACP over stdin and stdout: what an editor starts as its agent command')
    .option('--agent <name>', 'which agent; the default one unless told')
    .action(async (options: AcpOptions) => {
      const interrupt = takeInterrupt();
      await using server = await useServer(options, terminal, interrupt);
      const socket = await openSocket(server.reeve.acpUrl(options.agent));
      const end = await runAcpBridge({
        socket,
        input: process.stdin,
        output: process.stdout,
        maxLineBytes: MAX_LINE_BYTES,
        signal: interrupt,
      });
      if (end === 'aborted') throw interrupt.reason;
      if (end === 'server-gone') {
        throw new CliError(
          'unreachable',
          'the connection to the server was lost',
          'Start this command again, and load the session.',
        );
      }
    });
}

/** Rejects with what the server said when it refused the upgrade. */
function openSocket(url: URL): Promise<WebSocket> {
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
