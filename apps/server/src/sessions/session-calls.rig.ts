import { type JsonObject, META_KEY } from '@reeve/protocol';
import { type JsonRpcPeer, type Step, script } from '@reeve/testkit';
import type { SessionRig } from './session.rig.ts';

/** A new session of this client; gives its id. */
export async function newSession(rig: SessionRig, peer: JsonRpcPeer, ours?: JsonObject): Promise<string> {
  const params = { cwd: rig.cwd, mcpServers: [], ...(ours ? { _meta: { [META_KEY]: ours } } : {}) };
  const { sessionId } = await peer.request<{ sessionId: string }>('session/new', params);
  return sessionId;
}

export function load(
  rig: SessionRig,
  peer: JsonRpcPeer,
  sessionId: string,
  ours: JsonObject = {},
): Promise<JsonObject> {
  return peer.request('session/load', { sessionId, cwd: rig.cwd, mcpServers: [], _meta: { [META_KEY]: ours } });
}

export function resume(
  rig: SessionRig,
  peer: JsonRpcPeer,
  sessionId: string,
  ours: JsonObject = {},
): Promise<JsonObject> {
  return peer.request('session/resume', { sessionId, cwd: rig.cwd, mcpServers: [], _meta: { [META_KEY]: ours } });
}

/** Prompts with a script of the fake agent, or with a text that it echoes. */
export function prompt(
  peer: JsonRpcPeer,
  sessionId: string,
  what: string | readonly Step[],
  ours?: JsonObject,
): Promise<JsonObject> {
  const text = typeof what === 'string' ? what : script(...what);
  return peer.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text }],
    ...(ours ? { _meta: { [META_KEY]: ours } } : {}),
  });
}

/** The texts of the user that a client was shown. */
export function userTexts(peer: JsonRpcPeer): unknown[] {
  return peer
    .updates()
    .filter((update) => update.sessionUpdate === 'user_message_chunk')
    .map((update) => (update.content as { text?: unknown }).text);
}

/** The raw messages of one method that a client got, in order. */
export function rawOf(peer: JsonRpcPeer, method: string): string[] {
  return peer.log
    .filter(({ direction, message }) => direction === 'in' && message?.method === method)
    .map(({ raw }) => raw);
}

/** Index in the peer's log of the answer to the last request of `method`. */
export function answerIndex(peer: JsonRpcPeer, method: string): number {
  const id = peer.log.findLast(({ direction, message }) => direction === 'out' && message?.method === method)?.message
    ?.id;
  return peer.log.findIndex(
    ({ direction, message }) =>
      direction === 'in' && message !== undefined && message.id === id && message.method === undefined,
  );
}
