import { BYTE, readString, skipString } from './json-scan.ts';

/**
 * The first member of JSON text that two programs may read in two ways, by its key; undefined when there is none. That is a key that
 * stands twice in one object, since some take the first of them and others the last, and, near the top, one that differs from another
 * or from a known one in case alone, since some match keys that way (Go's `encoding/json`).
 * @param json UTF-8 that `JSON.parse` has accepted
 * @param known keys with a meaning, at most 31 for each level from the top; keys of the levels below are told apart to the letter
 * @param foreign keys of the top that make it another kind of message for some; each is among the known ones
 */
export function ambiguousMember(
  json: Uint8Array,
  known: readonly (readonly string[])[],
  foreign: readonly string[] = [],
): string | undefined {
  const levels = levelsOf(known);
  // As if they had stood there before.
  const [top] = levels;
  let seen = top === undefined ? 0 : foreign.reduce((bits, key) => bits | (1 << top.keys.indexOf(key)), 0);
  const open: Open[] = [];
  let atKey = false;
  let at = 0;
  while (at < json.length) {
    const byte = json[at];
    if (byte === BYTE.quote) {
      const end = skipString(json, at);
      const inside = open.at(-1);
      if (atKey && inside) {
        const twofold = lookAt(json, at, end, inside, levels[open.length - 1]);
        if (twofold !== undefined) return twofold;
        atKey = false;
      }
      at = end;
      continue;
    }
    if (byte === BYTE.openBrace || byte === BYTE.openBracket) {
      atKey = byte === BYTE.openBrace;
      open.push({ seen, first: undefined, keys: undefined, isObject: atKey });
      seen = 0;
    } else if (byte === BYTE.closeBrace || byte === BYTE.closeBracket) {
      atKey = false;
      open.pop();
    } else if (byte === BYTE.comma) atKey = open.at(-1)?.isObject === true;
    at += 1;
  }
  return undefined;
}

type Keys = Parameters<typeof ambiguousMember>[1];

/** The known keys of one level, and their places among them by what they fold to. */
interface Level {
  readonly keys: readonly string[];
  readonly places: ReadonlyMap<string, number>;
}

/** Of lists that were asked about before: each message is asked about with the same. */
const remembered = new WeakMap<Keys, readonly Level[]>();

function levelsOf(known: Keys): readonly Level[] {
  const before = remembered.get(known);
  if (before) return before;
  const made = known.map((keys) => ({ keys, places: new Map(keys.map((key, place) => [folded(key), place])) }));
  remembered.set(known, made);
  return made;
}

/** An object or array around a place, with the keys that have stood in it. Most objects are small, and there may be many. */
interface Open {
  /** The known keys, one bit each: they are most keys of most messages, and no text is made of them. */
  seen: number;
  first: string | undefined;
  keys: Set<string> | undefined;
  readonly isObject: boolean;
}

/** The key, where it stood in the object before, or is a known one in another case. */
function lookAt(
  json: Uint8Array,
  start: number,
  end: number,
  inside: Open,
  level: Level | undefined,
): string | undefined {
  let place = level === undefined ? -1 : level.keys.findIndex((key) => isSpelt(json, start, end, key));
  if (place === -1) {
    const key = keyText(json, start, end);
    const means = level === undefined ? key : folded(key);
    place = level?.places.get(means) ?? -1;
    if (place === -1) return isNew(inside, means) ? undefined : key;
    if (level?.keys[place] !== key) return key;
  }
  const bit = 1 << place;
  if ((inside.seen & bit) !== 0) return level?.keys[place];
  inside.seen |= bit;
  return undefined;
}

/** Whether it is this key, of ASCII, without an escape. */
function isSpelt(json: Uint8Array, start: number, end: number, key: string): boolean {
  if (end - start - 2 !== key.length) return false;
  for (let at = 0; at < key.length; at += 1) if (json[start + 1 + at] !== key.charCodeAt(at)) return false;
  return true;
}

function isNew(inside: Open, key: string): boolean {
  if (inside.first === undefined) {
    inside.first = key;
    return true;
  }
  inside.keys ??= new Set([inside.first]);
  const { size } = inside.keys;
  return inside.keys.add(key).size > size;
}

const SHORT = 32;

function keyText(json: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT) return readString(json, start, end);
  let text = '';
  for (let at = start + 1; at < end - 1; at += 1) {
    const byte = json[at] as number;
    if (byte === BYTE.backslash || byte >= 0x80) return readString(json, start, end);
    text += String.fromCharCode(byte);
  }
  return text;
}

/** Letters that differ in case alone become one, those of other scripts that Unicode folds to ASCII too (`ſ`, `K`). */
function folded(key: string): string {
  return key.toUpperCase().toLowerCase();
}
