import { chmod } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { encodeError, parseMessage } from '@reeve/protocol';
import { createLineSplitter } from '@reeve/sandbox';
import type { AgentChannel, ReplyChannel } from '../relay/agent-channel.ts';
import type { ServerRelay } from '../relay/server-relay.ts';
import { CODE } from '../wire/mcp-keys.ts';
import { writeLine } from '../wire/write-line.ts';

export interface SocketEndpointOptions {
  /** In a directory that only this user may enter. */
  readonly path: string;
  readonly relay: ServerRelay;
  readonly maxLineBytes: number;
  readonly maxUnreadBytes: number;
}

/** MCP on a unix socket as it is on stdio: one message a line. Each connection is an agent. Dispose ends them. */
export async function openSocketEndpoint(options: SocketEndpointOptions): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, options);
  });
  await listen(server, options.path);
  await chmod(options.path, 0o600);
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function serve(socket: Socket, { relay, maxLineBytes, maxUnreadBytes }: SocketEndpointOptions): void {
  socket.on('error', () => {}); // `close` follows.
  // `drain` does not come below the high-water mark of the socket, which may be over the bound of the relay.
  const flushed = (): void => {
    if (socket.writableLength > 0) return;
    relay.drained();
    socket.resume();
  };
  const write = (raw: Buffer): void => {
    if (socket.writable) writeLine(socket, raw, flushed);
  };
  const channel: AgentChannel = {
    send: write,
    get unreadBytes() {
      return socket.writableLength;
    },
    close: () => socket.destroy(),
  };
  const peer = relay.connect(channel);
  if (!peer) return void socket.destroy();
  const reply: ReplyChannel = { send: write, answer: write };
  const refuse = (code: number, message: string): void => write(Buffer.from(encodeError(null, { code, message })));
  const splitter = createLineSplitter({
    maxLineBytes,
    onLine: (line) => {
      const message = parseMessage(line.toString());
      if (message.kind === 'not-json') return refuse(CODE.parse, 'no JSON');
      if (message.kind === 'invalid') return refuse(CODE.invalidRequest, 'no JSON-RPC 2.0 message');
      peer.receive(message, line, reply);
    },
    onOversize: (bytes) =>
      refuse(
        CODE.invalidRequest,
        `a message of ${bytes} bytes, over the limit of ${maxLineBytes} (limits.mcpMessageBytes)`,
      ),
  });
  socket.on('data', (chunk: Buffer) => {
    splitter.push(chunk);
    // Who does not read the answers is asked nothing more.
    if (socket.writableLength > maxUnreadBytes) socket.pause();
  });
  socket.once('close', () => {
    peer.gone();
    relay.drained();
  });
}
