import type { SessionRecord } from '../../sessions/session-store.ts';

/**
 * Of what changes seldom, and may name thousands of roots: the place and the metadata are the same objects as long as they are the same, the
 * roots are the same list in both, and what a root was when it was approved is the same object in each revision.
 */
const texts = new WeakMap<object, string>();

/** JSON of a record. */
export function jsonOfRecord({ place, metadata, ...rest }: SessionRecord): string {
  return jsonObject(rest, { place: place && once(place, jsonOfPlace), metadata: once(metadata, jsonOfMetadata) });
}

function jsonOfPlace({ boundary, identities, ...rest }: NonNullable<SessionRecord['place']>): string {
  const { roots, ...others } = boundary;
  return jsonObject(rest, {
    boundary: jsonObject(others, { roots: once(roots, JSON.stringify) }),
    identities: identities && `[${identities.map((identity) => once(identity, JSON.stringify)).join(',')}]`,
  });
}

function jsonOfMetadata({ boundary, ...rest }: SessionRecord['metadata']): string {
  if (typeof boundary !== 'object' || boundary === null || !('roots' in boundary) || !Array.isArray(boundary.roots)) {
    return JSON.stringify({ ...rest, boundary });
  }
  const { roots, ...others } = boundary;
  return jsonObject(rest, { boundary: jsonObject(others, { roots: once(roots as object, JSON.stringify) }) });
}

function once<Value extends object>(value: Value, make: (value: Value) => string): string {
  const text = texts.get(value) ?? make(value);
  texts.set(value, text);
  return text;
}

/** JSON of an object, some of whose members are JSON already. */
function jsonObject(value: object, made: { readonly [name: string]: string | undefined }): string {
  let json = JSON.stringify(value).slice(0, -1);
  // Long texts are only tied together: they are copied once, when the whole is sent.
  for (const [name, text] of Object.entries(made)) {
    if (text !== undefined) json += `${json === '{' ? '' : ','}"${name}":${text}`;
  }
  return `${json}}`;
}
