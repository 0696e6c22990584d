import { createHash, timingSafeEqual } from 'node:crypto';

const PARAMETER = 'access_token';

/**
 * The bearer token of a request (RFC 6750): the `Authorization` header, else `?access_token=` for whoever can set no
 * header, as a browser on an event stream.
 */
export function readToken(authorization: string | undefined, url: string): string | undefined {
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  for (const [name, value] of new URLSearchParams(queryOf(url))) if (name === PARAMETER) return value;
  return undefined;
}

/** `url` as it may be logged and handed on: every `access_token` is gone, the rest stands byte for byte. */
export function withoutToken(url: string): string {
  const query = queryOf(url);
  if (query === '') return url;
  const kept = query.split('&').filter((pair) => !new URLSearchParams(pair).has(PARAMETER));
  const path = url.slice(0, url.indexOf('?'));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** Takes the same time wherever the two differ, and whatever their lengths. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
