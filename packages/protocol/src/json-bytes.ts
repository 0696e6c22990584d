import { afterComma, BYTE, keyIs, memberSpans, type Span, skipSpace, skipString, skipValue } from './json-scan.ts';

/*
 * Edits of JSON text as bytes: what is not named by the edit stays byte for byte as it came.
 * The input is UTF-8 that `JSON.parse` has accepted, with an object on top. Where a key stands twice, the last one
 * counts, as it does for `JSON.parse`. No value is built and nothing recurses into values, so that depth and size of
 * what is skipped cost nothing but the scan.
 */

/** A replacement of one range of bytes; an insertion where `start` is `end`. */
export interface ByteEdit extends Span {
  /** UTF-8 text to stand there. */
  readonly text: string;
}

/** The bytes of the value at a path of object members; undefined when there is none. The empty path is the whole. */
export function memberSpan(json: Uint8Array, path: readonly string[]): Span | undefined {
  const place = locate(json, path);
  return place.depth === path.length ? { start: place.start, end: place.end } : undefined;
}

/**
 * `json` with the value at `path` replaced, or the member inserted at the end of its object. Objects that are missing
 * on the way are created; what stands on the way and is no object is replaced by one.
 * `valueJson` is JSON text. The result is a Buffer wherever there are Buffers.
 */
export function setMember<Bytes extends Uint8Array>(json: Bytes, path: readonly string[], valueJson: string): Bytes {
  const { depth, start, end } = locate(json, path);
  const rest = path.slice(depth);
  if (depth === path.length || json[start] !== BYTE.openBrace) {
    return applyEdits(json, [{ start, end, text: nest(rest, valueJson) }]);
  }
  let last = end - 2;
  while (isSpace(json[last])) last -= 1;
  const comma = json[last] === BYTE.openBrace ? '' : ',';
  const text = `${comma}${JSON.stringify(rest[0])}:${nest(rest.slice(1), valueJson)}`;
  return applyEdits(json, [{ start: last + 1, end: last + 1, text }]);
}

/** `json` without the member at `path`, nor any duplicate of it; `json` itself when there is none. */
export function removeMember<Bytes extends Uint8Array>(json: Bytes, path: readonly string[]): Bytes {
  const name = path.at(-1);
  const parent = memberSpan(json, path.slice(0, -1));
  if (name === undefined || parent === undefined || json[parent.start] !== BYTE.openBrace) return json;
  const edits: ByteEdit[] = [];
  let keptOne = false;
  let before = parent.start + 1;
  for (const { key, value } of memberSpans(json, parent.start)) {
    if (!keyIs(json, key.start, key.end, name)) keptOne = true;
    // The comma goes with the member: the one before it, or, where nothing before it stays, the one behind it.
    else if (keptOne) edits.push({ start: before, end: value.end, text: '' });
    else edits.push({ start: key.start, end: afterComma(json, value.end), text: '' });
    before = value.end;
  }
  return applyEdits(json, edits);
}

/** `json` with all edits made; they are in order and do not overlap. `json` itself when there are none. */
export function applyEdits<Bytes extends Uint8Array>(json: Bytes, edits: readonly ByteEdit[]): Bytes {
  if (edits.length === 0) return json;
  const texts: Uint8Array[] = [];
  let length = json.length;
  for (const { start, end, text } of edits) {
    const bytes = encode(text);
    texts.push(bytes);
    length += bytes.length - (end - start);
  }
  const result = allocate(length);
  let from = 0;
  let to = 0;
  let index = 0;
  for (const { start, end } of edits) {
    const text = texts[index++] as Uint8Array;
    result.set(json.subarray(from, start), to);
    to += start - from;
    result.set(text, to);
    to += text.length;
    from = end;
  }
  result.set(json.subarray(from), to);
  return result as Bytes;
}

/** The deepest value on the path that exists, and how many keys of the path lead to it. */
interface Place {
  depth: number;
  start: number;
  end: number;
}

function locate(json: Uint8Array, path: readonly string[]): Place {
  const place: Place = { depth: 0, start: 0, end: 0 };
  walk(json, skipSpace(json, 0), path, 0, place);
  return place;
}

/** Visits the value at `start`, which `depth` keys of the path lead to; one pass, and as deep as the path is long. */
function walk(json: Uint8Array, start: number, path: readonly string[], depth: number, place: Place): number {
  place.depth = depth;
  place.start = start;
  const key = path[depth];
  let end: number;
  if (key === undefined || json[start] !== BYTE.openBrace) end = skipValue(json, start);
  else {
    let at = skipSpace(json, start + 1);
    while (json[at] === BYTE.quote) {
      const keyEnd = skipString(json, at);
      const value = skipSpace(json, skipSpace(json, keyEnd) + 1);
      const matches = keyIs(json, at, keyEnd, key);
      at = afterComma(json, matches ? walk(json, value, path, depth + 1, place) : skipValue(json, value));
    }
    end = at + 1;
  }
  if (place.depth === depth) place.end = end;
  return end;
}

function nest(keys: readonly string[], valueJson: string): string {
  return keys.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, valueJson);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

// Node's Buffer where there is one: much cheaper to make, and what streams and sockets there take without a copy.
const hasBuffer = typeof Buffer !== 'undefined';
const encoder = new TextEncoder();

function allocate(length: number): Uint8Array {
  return hasBuffer ? Buffer.allocUnsafe(length) : new Uint8Array(length);
}

function encode(text: string): Uint8Array {
  return hasBuffer ? Buffer.from(text) : encoder.encode(text);
}
