import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { type SpawnedReeve, script, startReeve } from '@reeve/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { usualCarrier } from './event-streams.ts';
import { connectReeve, type ReeveOptions, type WireEvent } from './index.ts';

let server: SpawnedReeve;
beforeAll(async () => {
  server = await startReeve();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Passes requests on, and no handshake: as a proxy does that was not told of WebSockets. */
async function plainProxy(target: string): Promise<{ readonly url: string; close(): void }> {
  const proxy: Server = createServer((incoming: IncomingMessage, response) => {
    const { upgrade: _, connection: __, ...headers } = incoming.headers;
    const onward = httpRequest(new URL(incoming.url ?? '/', target), { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** A connection that notes which streams it asked for over HTTP, and which sockets it opened. */
function watched(options: ReeveOptions) {
  const plain: string[] = [];
  const sockets: string[] = [];
  const Socket = options.WebSocket ?? globalThis.WebSocket;
  const reeve = connectReeve({
    ...options,
    fetch: (input, init) => {
      if (new Headers(init?.headers).get('accept') === 'text/event-stream') plain.push(new URL(String(input)).pathname);
      return fetch(input, init);
    },
    WebSocket: class extends Socket {
      constructor(...[url, protocols]: ConstructorParameters<typeof WebSocket>) {
        super(url, protocols);
        sockets.push(new URL(url).pathname);
      }
    },
  });
  return { reeve, plain, sockets };
}

async function someEvents(reeve: ReturnType<typeof connectReeve>, id: string, wanted: number): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  for await (const event of reeve.followEvents(id)) if (events.push(event) === wanted) break;
  return events;
}

async function spoken(): Promise<{ readonly id: string; readonly events: readonly WireEvent[] }> {
  const reeve = connectReeve(server);
  const id = (await reeve.sessions.create({ cwd: tmpdir() })).session.sessionId;
  await reeve.sessions.prompt(id, { prompt: script({ flood: { count: 500, bytes: 16 } }) });
  return { id, events: (await reeve.sessions.events(id, { limit: 1000 })).events };
}

describe('the streams of a server', () => {
  it('come over WebSocket where that is wanted, the same as over HTTP', async () => {
    const { id, events } = await spoken();
    const [bySocket, byHttp] = [watched({ ...server, streams: 'websocket' }), watched({ ...server, streams: 'http' })];
    expect(await someEvents(bySocket.reeve, id, events.length)).toEqual(events);
    expect(await someEvents(byHttp.reeve, id, events.length)).toEqual(events);
    const path = `/v1/sessions/${id}/events`;
    expect([bySocket.sockets, bySocket.plain]).toEqual([[path], []]);
    expect([byHttp.sockets, byHttp.plain]).toEqual([[], [path]]);
  });

  it('come over HTTP where no WebSocket gets through, though that is wanted', async () => {
    const { id, events } = await spoken();
    const proxy = await plainProxy(server.url);
    const { reeve, plain, sockets } = watched({ url: proxy.url, token: server.token, streams: 'websocket' });
    expect(await someEvents(reeve, id, events.length)).toEqual(events);
    const path = `/v1/sessions/${id}/events`;
    expect([sockets, plain]).toEqual([[path, path], [path]]);
    proxy.close();
  });

  it('come over WebSocket again where the server was only away for a moment', async () => {
    const { id, events } = await spoken();
    let left = 1;
    class Refused extends WebSocket {
      constructor(...[url, protocols]: ConstructorParameters<typeof WebSocket>) {
        // A port on which nobody listens.
        super(left-- > 0 ? 'ws://127.0.0.1:1/' : url, protocols);
      }
    }
    const { reeve, plain, sockets } = watched({ ...server, streams: 'websocket', WebSocket: Refused });
    expect(await someEvents(reeve, id, events.length)).toEqual(events);
    expect([sockets.length, plain.length]).toEqual([2, 1]);
    // The stream over HTTP was let go of: only one reads along.
    await expect.poll(async () => (await connectReeve(server).sessions.show(id)).clients).toEqual([]);
  });

  it('are refused with what the server says, which browsers tell of no WebSocket', async () => {
    const wrong = connectReeve({ url: server.url, token: 'wrong', streams: 'websocket' });
    await expect(wrong.followChanges().next()).rejects.toMatchObject({ code: 'authentication_required', status: 401 });
    const reeve = connectReeve({ ...server, streams: 'websocket' });
    await expect(reeve.followEvents('nosuch').next()).rejects.toMatchObject({ code: 'not_found', status: 404 });
    const away = connectReeve({ url: 'http://127.0.0.1:1', streams: 'websocket' });
    await expect(away.followEvents('s', { giveUpMs: 0 }).next()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('end at once for whoever leaves, and the server knows', async () => {
    const { id } = await spoken();
    const reeve = connectReeve({ ...server, streams: 'websocket', client: { name: 'leaver', version: '1' } });
    const stop = new AbortController();
    const connected = vi.fn();
    const following = Array.fromAsync(
      reeve.followEvents(id, { after: 0, signal: stop.signal, onConnected: connected }),
    );
    await vi.waitFor(() => expect(connected).toHaveBeenCalledOnce());
    const clients = async () => (await reeve.sessions.show(id)).clients;
    expect(await clients()).toMatchObject([{ claimed: { name: 'leaver', version: '1' }, transport: 'events' }]);
    stop.abort();
    await following;
    await expect.poll(clients).toEqual([]);
  });

  it('are lost in silence over a line that nobody answers on, and found again', async () => {
    const { id } = await spoken();
    const lost: string[] = [];
    const stop = new AbortController();
    const reeve = connectReeve({ ...server, streams: 'websocket' });
    const { lastSeq = 0 } = await reeve.sessions.show(id);
    const followed = reeve.followEvents(id, {
      // The server has a heartbeat far more seldom.
      ...{ after: lastSeq, silenceMs: 100, signal: stop.signal },
      onLost(error) {
        lost.push(error.message);
        if (lost.length === 2) stop.abort();
      },
    });
    expect(await Array.fromAsync(followed)).toEqual([]);
    expect(lost).toEqual(['nothing was heard for 100 ms', 'nothing was heard for 100 ms']);
  });

  it('come over HTTP outside of browsers, unless told', () => {
    expect(usualCarrier()).toBe('http');
    vi.stubGlobal('document', {});
    expect(usualCarrier()).toBe('websocket');
    vi.unstubAllGlobals();
    vi.stubGlobal('WorkerGlobalScope', {});
    expect(usualCarrier()).toBe('websocket');
    vi.unstubAllGlobals();
  });
});
