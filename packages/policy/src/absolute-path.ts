/** Why a path or a file URI is not taken. Stable words: they stand in answers, logs and audit records. */
export type PathFault =
  | 'control_character'
  | 'dot_segment'
  | 'drive_letter'
  | 'empty_segment'
  | 'encoded_separator'
  | 'fragment'
  | 'host'
  | 'malformed_encoding'
  | 'not_absolute'
  | 'not_file_uri'
  | 'not_text'
  | 'query'
  | 'too_long'
  | 'trailing_dot_or_space'
  | 'unencoded_character'
  | 'user_information';

/** A refusal with what to send instead, in words for a person. It never repeats what came. */
export interface PathRefusal {
  readonly kind: 'refused';
  readonly reason: PathFault;
  readonly next: string;
}

export type PathCheck = { readonly kind: 'path'; readonly path: string } | PathRefusal;

/** Bytes of UTF-8 that a path may have (Linux, PATH_MAX without its NUL). */
export const MAX_PATH_BYTES = 4095;

const utf8 = new TextEncoder();

/**
 * Checks a path that is to become a root or to be compared with roots: absolute, POSIX, and of one spelling. One slash at its end is
 * dropped. Refused is also what another program would take for another path after decoding percent signs once more.
 */
export function checkAbsolutePath(path: string): PathCheck {
  if (!path.startsWith('/')) return refused('not_absolute');
  if (!path.isWellFormed()) return refused('not_text');
  if (/\p{Cc}/u.test(path)) return refused('control_character');
  if (utf8.encode(path).byteLength > MAX_PATH_BYTES) return refused('too_long');
  if (path === '/') return { kind: 'path', path };
  const plain = path.endsWith('/') ? path.slice(0, -1) : path;
  const segments = plain.slice(1).split('/');
  for (const [index, segment] of segments.entries()) {
    const fault = segmentFault(segment, index);
    if (fault) return refused(fault);
  }
  return { kind: 'path', path: plain };
}

function segmentFault(segment: string, index: number): PathFault | undefined {
  if (segment === '') return 'empty_segment';
  if (segment.includes('\\')) return 'encoded_separator';
  if (isDots(segment)) return 'dot_segment';
  if (/[ .]$/.test(segment)) return 'trailing_dot_or_space';
  if (index === 0 && /^[A-Za-z][:|]$/.test(segment)) return 'drive_letter';
  return decodedFault(segment);
}

/** What a program that decodes once too often would see. Each round of decoding is shorter, so this ends. */
function decodedFault(segment: string): PathFault | undefined {
  let text = segment;
  while (/%[0-9A-Fa-f]{2}/.test(text)) {
    text = text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (/[/\\\0]/.test(text)) return 'encoded_separator';
    if (isDots(text)) return 'dot_segment';
  }
  return undefined;
}

function isDots(segment: string): boolean {
  return segment === '.' || segment === '..';
}

const NEXT: Readonly<Record<PathFault, string>> = {
  control_character: 'Leave control characters out, or rename the directory.',
  dot_segment: 'Send the path without "." and ".." segments, in no encoding either.',
  drive_letter: 'Send a POSIX path, from /: this system has no drive letters.',
  empty_segment: 'Send one slash between two names, and a name after file:///.',
  encoded_separator: 'Separate names by /, and send neither %2F, %5C, %00 nor a backslash.',
  fragment: 'Leave out what begins with #, or send it as %23 when it belongs to the name.',
  host: 'Send file:/// and the path, without a host name (also without localhost).',
  malformed_encoding: 'Encode each byte of the UTF-8 of a name as % and two hexadecimal digits, and % itself as %25.',
  not_absolute: 'Send the whole path, from /.',
  not_file_uri: 'Send file:/// and the absolute path, in small letters.',
  not_text: 'Send a name that is text (UTF-8), or rename the directory.',
  query: 'Leave out what begins with ?, or send it as %3F when it belongs to the name.',
  too_long: `Send a path of at most ${MAX_PATH_BYTES} bytes.`,
  trailing_dot_or_space: 'Rename the directory: a name may not end with a dot or a space, which some systems drop.',
  unencoded_character: 'Percent-encode every character that a URI cannot hold: a space is %20.',
  user_information: 'Send file:/// and the path, without user and host.',
};

export function refused(reason: PathFault): PathRefusal {
  return { kind: 'refused', reason, next: NEXT[reason] };
}
