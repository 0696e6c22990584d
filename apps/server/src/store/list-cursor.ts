/** Where a page of sessions ended: the next begins after this place in the order of `updatedAt` falling, id rising. */
export interface ListPlace {
  readonly updatedAt: number;
  readonly id: string;
}

export function encodeListCursor(place: ListPlace): string {
  return Buffer.from(JSON.stringify([place.updatedAt, place.id])).toString('base64url');
}

/** `undefined` for anything that `encodeListCursor` did not make. */
export function decodeListCursor(cursor: string): ListPlace | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [updatedAt, id] = value as readonly unknown[];
  if (typeof updatedAt !== 'number' || typeof id !== 'string') return undefined;
  const place = { updatedAt, id };
  return encodeListCursor(place) === cursor ? place : undefined;
}
