import { isObject, type JsonObject, META_KEY } from '@reeve/protocol';
import { connectWebSocket, type JsonRpcPeer, type PeerOptions, type Step, script } from '@reeve/testkit';
import { eventually, type SessionRig } from './session.rig.ts';

/** Connects and initializes in ACP v2. */
export async function connectV2(
  rig: Pick<SessionRig, 'url'>,
  options: PeerOptions & { readonly capabilities?: JsonObject; readonly agent?: string; readonly name?: string } = {},
): Promise<JsonRpcPeer> {
  const { capabilities = {}, agent, name = 'two', ...rest } = options;
  const peer = await connectWebSocket(rig.url, rest);
  await peer.request('initialize', {
    protocolVersion: 2,
    info: { name, version: '1' },
    capabilities,
    ...(agent === undefined ? {} : { _meta: { [META_KEY]: { agent } } }),
  });
  return peer;
}

/** A new session of this client; gives its id. */
export async function newV2(rig: SessionRig, peer: JsonRpcPeer, ours?: JsonObject): Promise<string> {
  const params = { cwd: rig.cwd, ...(ours ? { _meta: { [META_KEY]: ours } } : {}) };
  return (await peer.request<{ sessionId: string }>('session/new', params)).sessionId;
}

/** Sends a script of the fake agent, or a text that it echoes; gives the id of the message. */
export async function send(
  peer: JsonRpcPeer,
  sessionId: string,
  what: string | readonly Step[],
  ours?: JsonObject,
): Promise<string> {
  const text = typeof what === 'string' ? what : script(...what);
  const result = await peer.request<{ messageId: string }>('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text }],
    ...(ours ? { _meta: { [META_KEY]: ours } } : {}),
  });
  return result.messageId;
}

/** The states that a client was told, in order: `running`, `requires_action`, `idle end_turn`. */
export function states(peer: JsonRpcPeer): string[] {
  return peer
    .updates()
    .filter(({ sessionUpdate }) => sessionUpdate === 'state_update')
    .map(({ state, stopReason }) => (stopReason === undefined ? String(state) : `${state} ${stopReason}`));
}

/** Waits until the client was told last that the work ended so. */
export async function ended(peer: JsonRpcPeer, stopReason: string): Promise<void> {
  await eventually(() => states(peer).at(-1)).toBe(`idle ${stopReason}`);
}

/** What the agent said to a client, chunks joined. */
export function saidTo(peer: JsonRpcPeer): string {
  return peer
    .updates()
    .filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk')
    .map(({ content }) => (isObject(content) ? content.text : ''))
    .join('');
}
