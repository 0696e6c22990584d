import { isObject, type JsonRpcId } from '@reeve/protocol';
import type { HttpRefusal } from './http-refusal.ts';

/** What the transport must know of a message that was posted; everything else is the connection's to judge. */
export type PostedMessage =
  | { readonly kind: 'initialize'; readonly id: JsonRpcId }
  /** `sessionId`: from `params`, where the message names one. */
  | { readonly kind: 'message'; readonly sessionId: string | undefined }
  | { readonly kind: 'refused'; readonly refusal: HttpRefusal };

/** Sorts a body (ACP, streamable HTTP: "Content Negotiation and Validation"). Never throws. */
export function sortPosted(text: string): PostedMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused({ name: 'parse_error', detail: 'the body is not JSON' });
  }
  if (Array.isArray(value)) {
    const next = 'Send each message in a request of its own.';
    return refused({ name: 'unsupported', detail: 'batches are not part of ACP', next });
  }
  if (!isObject(value)) return refused({ name: 'invalid_request', detail: 'the body is not a JSON object' });
  if (value.method !== 'initialize') {
    const params = typeof value.method === 'string' && isObject(value.params) ? value.params : {};
    return { kind: 'message', sessionId: typeof params.sessionId === 'string' ? params.sessionId : undefined };
  }
  const { id } = value;
  if (value.jsonrpc === '2.0' && (typeof id === 'string' || Number.isInteger(id))) {
    return { kind: 'initialize', id: id as JsonRpcId };
  }
  return refused({
    name: 'invalid_request',
    detail: 'initialize is a JSON-RPC 2.0 request with an id: a string or an integer',
  });
}

/** The same JSON text without line breaks, which JSON allows between tokens only: agents read a message per line. */
export function onOneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replaceAll(/[\r\n]/g, ' ') : json;
}

function refused(refusal: HttpRefusal): PostedMessage {
  return { kind: 'refused', refusal };
}
