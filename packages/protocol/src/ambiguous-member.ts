import { BYTE, readString, skipString } from './json-scan.ts';

/**
 * The first member of JSON text that two programs may read in two ways, by its key; undefined when there is none. That is a key that
 * stands twice in one object, since some take the first of them and others the last, and, near the top, one that differs from another
 * or from a known one in case alone, since some match keys that way (Go's `encoding/json`).
 * @param json UTF-8 that `JSON.parse` has accepted
 * @param known keys with a meaning, for each level from the top; keys of the levels below are told apart to the letter
 * @param foreign keys of the top that make it another kind of message for some; each is among the known ones
 */
export function ambiguousMember(
  json: Uint8Array,
  known: readonly (readonly string[])[],
  foreign: readonly string[] = [],
): string | undefined {
  const spelt = spellingsOf(known);
  const open: Open[] = [];
  let atKey = false;
  let at = 0;
  while (at < json.length) {
    const byte = json[at];
    if (byte === BYTE.quote) {
      const end = skipString(json, at);
      const inside = open.at(-1);
      if (atKey && inside) {
        const key = keyText(json, at, end);
        const right = spelt[open.length - 1];
        const means = right ? folded(key) : key;
        if (!isNew(inside, means) || (right?.get(means) ?? key) !== key) return key;
        if (open.length === 1 && foreign.includes(key)) return key;
        atKey = false;
      }
      at = end;
      continue;
    }
    if (byte === BYTE.openBrace || byte === BYTE.openBracket) {
      atKey = byte === BYTE.openBrace;
      open.push({ first: undefined, keys: undefined, isObject: atKey });
    } else if (byte === BYTE.closeBrace || byte === BYTE.closeBracket) {
      atKey = false;
      open.pop();
    } else if (byte === BYTE.comma) atKey = open.at(-1)?.isObject === true;
    at += 1;
  }
  return undefined;
}

type Keys = Parameters<typeof ambiguousMember>[1];
type Spellings = readonly ReadonlyMap<string, string>[];

/** Of lists that were asked about before: each message is asked about with the same. */
const spellings = new WeakMap<Keys, Spellings>();

/** The known keys by what they fold to. */
function spellingsOf(known: Keys): Spellings {
  const before = spellings.get(known);
  if (before) return before;
  const made = known.map((keys) => new Map(keys.map((key) => [folded(key), key])));
  spellings.set(known, made);
  return made;
}

/** An object or array around a place, with the keys that have stood in it. Most objects are small, and there may be many. */
interface Open {
  first: string | undefined;
  keys: Set<string> | undefined;
  readonly isObject: boolean;
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
