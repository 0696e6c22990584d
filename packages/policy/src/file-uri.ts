import { checkAbsolutePath, MAX_PATH_BYTES, type PathCheck, type PathRefusal, refused } from './absolute-path.ts';

const PREFIX = 'file:///';
/** Every byte of the longest path, encoded. */
const MAX_URI_LENGTH = PREFIX.length + 3 * MAX_PATH_BYTES;

/**
 * Reads the URI of a root (MCP, roots): exactly `file:///` and an absolute path of RFC 3986 characters. Nothing is repaired: what
 * two programs could read as two paths is refused. The path is not looked up; symbolic links are for the caller.
 */
export function parseFileUri(uri: string): PathCheck {
  if (uri.length > MAX_URI_LENGTH) return refused('too_long');
  if (/\p{Cc}/u.test(uri)) return refused('control_character');
  if (!uri.startsWith('file:')) return refused('not_file_uri');
  if (!uri.startsWith(PREFIX)) return refused(authorityFault(uri));
  const encoded = uri.slice(PREFIX.length - 1);
  if (encoded.includes('?')) return refused('query');
  if (encoded.includes('#')) return refused('fragment');
  if (/%(?:2f|5c|00)/i.test(encoded) || encoded.includes('\\')) return refused('encoded_separator');
  if (/%(?![0-9A-Fa-f]{2})/.test(encoded)) return refused('malformed_encoding');
  if (/[^A-Za-z0-9\-._~%!$&'()*+,;=:@/]/.test(encoded)) return refused('unencoded_character');
  try {
    return checkAbsolutePath(decodeURIComponent(encoded));
  } catch {
    return refused('malformed_encoding');
  }
}

function authorityFault(uri: string): 'host' | 'not_file_uri' | 'user_information' {
  const authority = /^file:\/\/([^/?#]*)/.exec(uri)?.[1];
  if (authority === undefined || authority === '') return 'not_file_uri';
  return authority.includes('@') ? 'user_information' : 'host';
}

/** The URI of a path, of one spelling: `parseFileUri` gives the very path back. Some paths have none, and are refused. */
export function toFileUri(path: string): { readonly kind: 'uri'; readonly uri: string } | PathRefusal {
  const checked = checkAbsolutePath(path);
  if (checked.kind === 'refused') return checked;
  return { kind: 'uri', uri: `file://${checked.path.split('/').map(encodeURIComponent).join('/')}` };
}
