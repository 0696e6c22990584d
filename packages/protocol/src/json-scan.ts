/**
 * Walks over JSON text as bytes, without building values.
 * All of it trusts its input: UTF-8 that `JSON.parse` has already accepted. An index always points at the first byte
 * of what it names; an end is the index after the last byte.
 */

/** A half-open range of bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One member of an object: its key with both quotes, and its value. */
export interface MemberSpan {
  readonly key: Span;
  readonly value: Span;
}

export const BYTE = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** So many bytes of a string are walked by hand before `indexOf` is called: it pays only for a longer way. */
const WALK_BYTES = 64;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function skipSpace(json: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = json[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

/** `from` is at the opening quote; the answer is behind the closing one. */
export function skipString(json: Uint8Array, from: number): number {
  const length = json.length;
  let at = from + 1;
  while (at < length) {
    const stop = Math.min(at + WALK_BYTES, length);
    while (at < stop) {
      const byte = json[at];
      if (byte === BYTE.quote) return at + 1;
      at += byte === BYTE.backslash ? 2 : 1;
    }
    const quote = json.indexOf(BYTE.quote, at);
    if (quote < 0) return length;
    // Backslashes before it come in pairs, or the last one escapes it.
    let slashes = 0;
    while (quote - slashes > at && json[quote - slashes - 1] === BYTE.backslash) slashes += 1;
    at = quote + 1;
    if (slashes % 2 === 0) return at;
  }
  return length;
}

/** The end of the value that begins at `from`, however deep it is nested. */
export function skipValue(json: Uint8Array, from: number): number {
  const first = json[from];
  if (first === BYTE.quote) return skipString(json, from);
  if (first === BYTE.openBrace || first === BYTE.openBracket) return skipContainer(json, from);
  let at = from;
  while (at < json.length && !endsScalar(json[at])) at += 1;
  return at;
}

function skipContainer(json: Uint8Array, from: number): number {
  const length = json.length;
  let depth = 0;
  let at = from;
  while (at < length) {
    const byte = json[at];
    if (byte === BYTE.quote) {
      at = skipString(json, at);
      continue;
    }
    at += 1;
    // '[' and '{' differ from each other, and ']' from '}', in one bit alone.
    const bracket = (byte as number) | 0x20;
    if (bracket === BYTE.openBrace) depth += 1;
    else if (bracket === BYTE.closeBrace) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return length;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === BYTE.comma || byte === BYTE.closeBrace || byte === BYTE.closeBracket || (byte as number) <= 0x20;
}

/** Every member of the object that begins at `from`, duplicates too, in the order of the text. */
export function memberSpans(json: Uint8Array, from: number): MemberSpan[] {
  const spans: MemberSpan[] = [];
  let at = skipSpace(json, from + 1);
  while (json[at] === BYTE.quote) {
    const key = { start: at, end: skipString(json, at) };
    const start = skipSpace(json, skipSpace(json, key.end) + 1);
    const end = skipValue(json, start);
    spans.push({ key, value: { start, end } });
    at = afterComma(json, end);
  }
  return spans;
}

/** Every element of the array that begins at `from`. */
export function elementSpans(json: Uint8Array, from: number): Span[] {
  const spans: Span[] = [];
  let at = skipSpace(json, from + 1);
  while (at < json.length && json[at] !== BYTE.closeBracket) {
    const end = skipValue(json, at);
    spans.push({ start: at, end });
    at = afterComma(json, end);
  }
  return spans;
}

/** From the end of a member or element to the next one, or to the closing bracket. */
export function afterComma(json: Uint8Array, end: number): number {
  const at = skipSpace(json, end);
  return json[at] === BYTE.comma ? skipSpace(json, at + 1) : at;
}

/** Whether the key at `start` (opening quote) to `end` (behind the closing one) means `key`, escapes resolved. */
export function keyIs(json: Uint8Array, start: number, end: number, key: string): boolean {
  const length = end - start - 2;
  for (let index = 0; index < key.length; index += 1) {
    if (index === length) return false;
    const byte = json[start + 1 + index];
    const code = key.charCodeAt(index);
    if (byte === BYTE.backslash || code >= 0x80) return readString(json, start, end) === key;
    if (byte !== code) return false;
  }
  return key.length === length;
}

/** The text of the string from `start` (opening quote) to `end`. */
export function readString(json: Uint8Array, start: number, end: number): string {
  return JSON.parse(decoder.decode(json.subarray(start, end))) as string;
}
