import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Knows the connections of a server, so that it can be stopped: the idle ones at once, the others when they are done. */
export class SocketKeeper {
  readonly #server: Server | Http2SecureServer;
  /** All that are open, TLS and what it runs on alike. */
  readonly #sockets = new Set<Socket>();
  /** HTTP/1.1 sockets by the responses that they still owe. */
  readonly #owing = new Map<Duplex, Set<ServerResponse>>();
  /** Those that speak HTTP no longer. */
  readonly #handedOver = new WeakSet<Duplex>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #closing: Promise<void> | undefined;

  constructor(server: Server | Http2SecureServer) {
    this.#server = server;
    const keep = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    };
    server.on('connection', keep);
    server.on('secureConnection', keep);
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      session.on('error', () => session.destroy());
    });
  }

  /** Keeps the request's socket until its response is done. */
  serving(request: IncomingMessage, response: ServerResponse): void {
    if (request.httpVersionMajor >= 2) return;
    const { socket } = request;
    const owed = this.#owing.get(socket) ?? new Set();
    this.#owing.set(socket, owed.add(response));
    if (this.#closing) response.shouldKeepAlive = false;
    response.once('close', () => {
      owed.delete(response);
      if (owed.size > 0) return;
      this.#owing.delete(socket);
      if (this.#closing) socket.destroySoon();
    });
  }

  /** The responses that a socket of HTTP/1.1 still owes, in order. */
  owedTo(socket: Duplex): readonly ServerResponse[] {
    return [...(this.#owing.get(socket) ?? [])];
  }

  /** The socket is somebody else's to end from now on; only the deadline cuts it. */
  handOver(socket: Duplex): void {
    this.#handedOver.add(socket);
  }

  /** Resolves when every socket is closed: by itself, or after `deadlineMs` by force. Idempotent. */
  close(deadlineMs: number): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      const deadline = setTimeout(() => this.#destroyAll(), deadlineMs);
      this.#server.close(() => {
        clearTimeout(deadline);
        resolve();
      });
      for (const session of this.#sessions) session.close();
      for (const socket of this.#sockets) if (this.#isIdle(socket)) socket.destroySoon();
    });
    return this.#closing;
  }

  #isIdle(socket: Socket): boolean {
    if (this.#owing.has(socket) || this.#handedOver.has(socket)) return false;
    // The socket below TLS goes with the one above; that of HTTP/2 goes with its session.
    const isSecureServer = 'setSecureContext' in this.#server;
    return isSecureServer ? 'alpnProtocol' in socket && socket.alpnProtocol !== 'h2' : true;
  }

  #destroyAll(): void {
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}
