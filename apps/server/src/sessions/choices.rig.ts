import { type JsonObject, META_KEY } from '@reeve/protocol';
import type { JsonRpcPeer } from '@reeve/testkit';
import type { SessionRig } from './session.rig.ts';

/** What is told of a session's choices. */
export interface Told extends JsonObject {
  readonly sessionId: string;
  readonly modes?: { readonly currentModeId: string };
  readonly models?: { readonly currentModelId: string };
  readonly configOptions?: readonly { readonly id: string; readonly currentValue: unknown }[];
}

/** A new session of this client, with the whole result. */
export function create(rig: SessionRig, peer: JsonRpcPeer, ours: JsonObject): Promise<Told> {
  return peer.request('session/new', { cwd: rig.cwd, mcpServers: [], _meta: { [META_KEY]: ours } });
}

/** What became of each choice. */
export function appliedIn(result: object): Record<string, JsonObject> {
  const ours = (result as { _meta?: Record<string, JsonObject> })._meta?.[META_KEY];
  return ours?.applied as Record<string, JsonObject>;
}

/** Current values by option id. */
export function valuesOf(options: unknown): Record<string, unknown> {
  const list = (options ?? []) as readonly { id: string; currentValue: unknown }[];
  return Object.fromEntries(list.map(({ id, currentValue }) => [id, currentValue]));
}

/** The last update of a kind that a client got. */
export function last(peer: JsonRpcPeer, sessionUpdate: string): JsonObject | undefined {
  return peer.updates().findLast((update) => update.sessionUpdate === sessionUpdate);
}
