import { type FloodSpec, floodIndex, JsonRpcPeer, script, webSocketTransport } from '@reeve/testkit';
import { WebSocket } from 'ws';
import type { ReeveAddress } from './sdk-client.ts';

/** One update as a client saw it. */
export interface SeenUpdate {
  readonly seq: number | undefined;
  readonly text: string;
}

/** A client over WebSocket that is fast enough for floods. Disposing closes the connection. */
export interface FloodReader extends AsyncDisposable {
  readonly peer: JsonRpcPeer;
  /** Told of every text of the agent, in the order in which it comes. */
  onText(listen: (update: SeenUpdate) => void): void;
  /** Stops reading from the network: what is sent stays with the server. */
  pause(): void;
  resume(): void;
  /** Gone at once, without a goodbye. */
  terminate(): void;
  readonly closed: Promise<void>;
}

export interface FloodReaderOptions {
  /** Asks for the seq of each update. */
  readonly withSeq?: boolean;
}

/** Connects and initializes. */
export async function openFloodReader(reeve: ReeveAddress, options: FloodReaderOptions = {}): Promise<FloodReader> {
  const socket = new WebSocket(`${reeve.url.replace(/^http/, 'ws')}/acp`, {
    headers: { authorization: `Bearer ${reeve.token}` },
    perMessageDeflate: false,
    maxPayload: 0,
  });
  const peer = new JsonRpcPeer(webSocketTransport(socket), { keepLog: false });
  let listen = (_update: SeenUpdate): void => {};
  peer.onNotification('session/update', (params) => {
    const { update, _meta } = params as UpdateParams;
    if (update.sessionUpdate !== 'agent_message_chunk' || update.content?.text === undefined) return;
    listen({ seq: _meta?.['sandboxagent.dev']?.seq, text: update.content.text });
  });
  const meta = options.withSeq ? { _meta: { 'sandboxagent.dev': { seq: true } } } : {};
  await peer.request('initialize', { protocolVersion: 1, clientCapabilities: meta });
  return {
    peer,
    onText: (next) => {
      listen = next;
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    terminate: () => socket.terminate(),
    closed: peer.closed,
    [Symbol.asyncDispose]: async () => {
      socket.terminate();
      await peer.closed;
    },
  };
}

/** Counts the updates of one flood and notices the first that is not the next. */
export interface FloodTally {
  /** How many have come in order. */
  readonly count: number;
  /** The first fault; undefined when each came once and in order so far. */
  readonly fault: string | undefined;
  take(update: SeenUpdate): void;
  /** Resolves when all have come, or at the first fault. */
  readonly done: Promise<void>;
}

export function tallyFlood(spec: FloodSpec): FloodTally {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  let fault: string | undefined;
  return {
    get count() {
      return count;
    },
    get fault() {
      return fault;
    },
    take: ({ text }) => {
      if (fault !== undefined) return;
      if (floodIndex(spec, text) === count) count += 1;
      else fault = `number ${count} of ${spec.count} was expected, ${JSON.stringify(text.slice(0, 40))} came`;
      if (fault !== undefined || count === spec.count) resolve();
    },
    done: promise,
  };
}

/** Params of a prompt that floods. */
export function floodPrompt(sessionId: string, flood: FloodSpec): object {
  return { sessionId, prompt: [{ type: 'text', text: script({ flood }) }] };
}

interface UpdateParams {
  readonly update: { readonly sessionUpdate: string; readonly content?: { readonly text?: string } };
  readonly _meta?: { readonly 'sandboxagent.dev'?: { readonly seq?: number } };
}
