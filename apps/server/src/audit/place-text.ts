import { canonicalJson } from './canonical-json.ts';
import type { PlaceLabel } from './path-labels.ts';

/** Of labels that are remembered: a large boundary is recorded again and again. */
const texts = new WeakMap<PlaceLabel, string>();

/** Canonical JSON of a label, made once. */
export function placeText(place: PlaceLabel): string {
  const known = texts.get(place);
  if (known !== undefined) return known;
  // In one piece: what was concatenated is put together anew whenever it is part of another text.
  const text = Buffer.from(canonicalJson(place)).toString();
  texts.set(place, text);
  return text;
}

/** Canonical JSON of the list. */
export function placesText(places: readonly PlaceLabel[]): string {
  return `[${places.map(placeText).join(',')}]`;
}
