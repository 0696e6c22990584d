import type { ServerTransport } from '../../boundary/declared-server.ts';

const HIDDEN = '[hidden]';
/** A shorter value is part of too many words. */
const MIN_LENGTH = 4;

/**
 * Takes the values of `env` and `headers`, and the user part and query of the URL, out of what a server says of itself: many repeat a key
 * that is wrong, and what they say is shown, logged and stored. No guard against one that wants to tell them: it could spell them otherwise.
 */
export function hideOwnSecrets(transport: ServerTransport): (text: string) => string {
  const secrets = [...new Set(valuesOf(transport))]
    .filter((value) => value.length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
}

function valuesOf(transport: ServerTransport): readonly string[] {
  if (transport.kind === 'stdio') return Object.values(transport.env).flatMap(spellings);
  // `Bearer KEY` is repeated without its first word.
  const headers = Object.values(transport.headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]);
  const url = URL.parse(transport.url);
  if (url === null) return headers.flatMap(spellings);
  const { username, password, search, hash, searchParams } = url;
  const login = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64');
  const query = search.slice(1);
  const parts = [username, password, decode(username), decode(password), login, query, hash.slice(1)];
  const values = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...headers, ...parts, ...values, ...searchParams.values()].flatMap(spellings);
}

/** As it stands in plain text and in JSON. */
function spellings(value: string): readonly string[] {
  return [value, JSON.stringify(value).slice(1, -1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
