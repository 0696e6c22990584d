import { parseEventSeq, parseSessionId, type SessionId } from '@reeve/protocol';
import type { HttpRefusal } from './http-refusal.ts';
import type { HttpRequest } from './read-body.ts';

/** A header's text; where it came several times, joined as HTTP has it. */
export function header(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Refuses a body that is not announced as plain UTF-8 JSON. */
export function refuseMediaType(request: HttpRequest): HttpRefusal | undefined {
  const [type = '', ...parameters] = (header(request, 'content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  const coding = header(request, 'content-encoding')?.toLowerCase() ?? 'identity';
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  if (type.trim() === 'application/json' && isUtf8 && coding === 'identity') return undefined;
  return {
    name: 'invalid_request',
    status: 415,
    detail: 'the body is not announced as JSON',
    next: 'Send UTF-8 JSON with "Content-Type: application/json", not compressed.',
  };
}

export type StreamWish =
  | { readonly kind: 'connection' }
  /** `after`: the client has everything up to it; undefined for a stream that is not resumed. */
  | { readonly kind: 'session'; readonly sessionId: SessionId; readonly after: number | undefined }
  | { readonly kind: 'refused'; readonly refusal: HttpRefusal };

/** Which stream a GET asks for. */
export function readStreamWish(request: HttpRequest): StreamWish {
  if (!/(^|[,\s])text\/event-stream\s*($|[,;])/i.test(header(request, 'accept') ?? '')) {
    const next = 'Send "Accept: text/event-stream", or upgrade to a WebSocket.';
    return refused({ name: 'invalid_request', status: 406, detail: 'a GET opens a stream of events', next });
  }
  const session = header(request, 'acp-session-id');
  if (session === undefined) return { kind: 'connection' };
  const sessionId = parseSessionId(session);
  if (sessionId === undefined) {
    const next = 'Send the sessionId as it came in the answer to session/new.';
    return refused({ name: 'invalid_request', detail: 'Acp-Session-Id is no session id', next });
  }
  const last = header(request, 'last-event-id') ?? '';
  const after = parseEventSeq(last);
  if (after === undefined && last !== '') {
    const next = 'Send the id of the last event that came whole, or leave the header out.';
    return refused({ name: 'invalid_request', detail: 'Last-Event-ID is not the id of an event', next });
  }
  return { kind: 'session', sessionId, after };
}

/** `?agent=` of the URL. */
export function agentOf(request: HttpRequest): string | undefined {
  const query = (request.url ?? '').split('?', 2)[1];
  return (query === undefined ? undefined : new URLSearchParams(query).get('agent')) || undefined;
}

function refused(refusal: HttpRefusal): StreamWish {
  return { kind: 'refused', refusal };
}
