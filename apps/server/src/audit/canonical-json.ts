const NONE: ReadonlyMap<string, string> = new Map();

/**
 * The one text of a JSON value (RFC 8785): members sorted by UTF-16 code units, no white space, numbers and strings as
 * ECMAScript writes them. Members that are `undefined` are left out, as JSON.stringify does.
 * Throws TypeError for what I-JSON has no place for: NaN, infinities, lone surrogates, bigint, functions.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'boolean':
      return String(value);
    case 'number':
      if (Number.isFinite(value)) return JSON.stringify(value);
      break;
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
      return canonicalObject(value as { readonly [name: string]: unknown }, NONE);
    default:
  }
  throw new TypeError(`${String(value)} has no canonical JSON: give finite numbers, text, lists and plain objects`);
}

/** The text of an object some of whose members are canonical JSON already: `made`, of which none stands in `value`. */
export function canonicalObject(
  value: { readonly [name: string]: unknown },
  made: ReadonlyMap<string, string>,
): string {
  // The order of code units is that of JavaScript's own comparison.
  const names = [...Object.keys(value), ...made.keys()].sort();
  let text = '';
  for (const name of names) {
    const known = made.get(name);
    const member = known === undefined ? value[name] : undefined;
    if (known === undefined && member === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(name)}:${known ?? canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function quoted(text: string): string {
  if (text.isWellFormed()) return JSON.stringify(text);
  throw new TypeError('text with half of a surrogate pair has no canonical JSON');
}
