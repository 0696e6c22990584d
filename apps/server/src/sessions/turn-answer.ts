import { encodeResult, type JsonObject, type JsonRpcId, META_KEY, setMember } from '@reeve/protocol';

/** `raw`, a response, with another id. */
export function withId(raw: Buffer, id: JsonRpcId): Buffer {
  return setMember(raw, ['id'], JSON.stringify(id));
}

/** The result of a prompt, with how many were before it when it came; unchanged for one that did not wait. */
export function withPlace(raw: Buffer, place: number): Buffer {
  return place === 0 ? raw : setMember(raw, ['result', '_meta', META_KEY, 'queuedBehind'], String(place));
}

/** The result of a prompt whose turn was cancelled, by Reeve itself. `meta`: what Reeve adds. */
export function cancelledResult(id: JsonRpcId, meta?: JsonObject): string {
  const result = { stopReason: 'cancelled', ...(meta ? { _meta: { [META_KEY]: meta } } : {}) };
  return encodeResult(id, result);
}
