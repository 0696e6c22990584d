import { applyEdits, type ByteEdit } from './json-bytes.ts';
import { BYTE, elementSpans, keyIs, memberSpans, readString, type Span, skipSpace } from './json-scan.ts';

const HIDDEN = '"[hidden]"';

/**
 * A request `session/new`, `session/load` or `session/resume` as it may be logged: every value of the servers' `env`
 * and `headers` reads `"[hidden]"`, and so do the user part, query and fragment of their `url`. All else keeps its
 * bytes. `raw` is a whole JSON-RPC message that has been parsed before; its params need not be valid: what stands
 * where a secret is expected is hidden in any form, in every duplicate of a key. `raw` itself when nothing is hidden.
 */
export function hideMcpSecrets<Bytes extends Uint8Array>(raw: Bytes): Bytes {
  const edits: ByteEdit[] = [];
  for (const params of members(raw, skipSpace(raw, 0), 'params')) {
    for (const servers of members(raw, params.start, 'mcpServers')) {
      for (const server of entries(raw, servers)) hideInServer(raw, server, edits);
    }
  }
  return applyEdits(raw, edits);
}

function hideInServer(raw: Uint8Array, server: Span, edits: ByteEdit[]): void {
  for (const { key, value } of memberSpansOf(raw, server.start)) {
    if (keyIs(raw, key.start, key.end, 'env') || keyIs(raw, key.start, key.end, 'headers')) hideList(raw, value, edits);
    else if (keyIs(raw, key.start, key.end, 'url')) hideInUrl(raw, value, edits);
  }
}

/** `[{name, value}]` as it should be, or `{NAME: value}` or `["NAME=value"]` as it sometimes is. */
function hideList(raw: Uint8Array, list: Span, edits: ByteEdit[]): void {
  const isArray = raw[list.start] === BYTE.openBracket;
  if (!isArray && raw[list.start] !== BYTE.openBrace) hide(raw, list, edits);
  for (const entry of entries(raw, list)) {
    if (!isArray || raw[entry.start] !== BYTE.openBrace) hide(raw, entry, edits);
    else {
      for (const { key, value } of memberSpans(raw, entry.start)) {
        if (!keyIs(raw, key.start, key.end, 'name')) hide(raw, value, edits);
      }
    }
  }
}

function hide(raw: Uint8Array, value: Span, edits: ByteEdit[]): void {
  const isNull = raw[value.start] === 0x6e;
  if (!isNull) edits.push({ start: value.start, end: value.end, text: HIDDEN });
}

function hideInUrl(raw: Uint8Array, value: Span, edits: ByteEdit[]): void {
  const url = raw[value.start] === BYTE.quote ? URL.parse(readString(raw, value.start, value.end)) : null;
  if (url === null || !/^(?:https?|wss?):$/.test(url.protocol)) {
    hide(raw, value, edits);
    return;
  }
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return;
  const user = url.username === '' && url.password === '' ? '' : '[hidden]@';
  const search = url.search === '' ? '' : '?[hidden]';
  const hash = url.hash === '' ? '' : '#[hidden]';
  const text = JSON.stringify(`${url.protocol}//${user}${url.host}${url.pathname}${search}${hash}`);
  edits.push({ start: value.start, end: value.end, text });
}

/** The values of all members of that name; none when no object begins there. */
function members(raw: Uint8Array, from: number, name: string): Span[] {
  return memberSpansOf(raw, from).flatMap(({ key, value }) => (keyIs(raw, key.start, key.end, name) ? [value] : []));
}

function memberSpansOf(raw: Uint8Array, from: number): ReturnType<typeof memberSpans> {
  return raw[from] === BYTE.openBrace ? memberSpans(raw, from) : [];
}

/** What a list holds, or the values of an object in its place. */
function entries(raw: Uint8Array, list: Span): Span[] {
  if (raw[list.start] === BYTE.openBracket) return elementSpans(raw, list.start);
  return memberSpansOf(raw, list.start).map(({ value }) => value);
}
