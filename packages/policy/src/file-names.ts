/**
 * How a file system tells names apart, as the host found out. `unknown` where it did not: then a path counts as inside only when it
 * is inside by both readings.
 */
export interface FileNames {
  readonly letterCase: 'distinct' | 'ignored' | 'unknown';
  /** Whether é in one character (NFC) and é in two (NFD) are one name. */
  readonly unicodeForm: 'distinct' | 'ignored' | 'unknown';
}

export const UNKNOWN_NAMES: FileNames = { letterCase: 'unknown', unicodeForm: 'unknown' };
/** ext4, xfs, btrfs, unless made otherwise. */
export const DISTINCT_NAMES: FileNames = { letterCase: 'distinct', unicodeForm: 'distinct' };

/** Turns a path into a key: paths with the same key are one path. */
export type NameKey = (path: string) => string;

/** Paths that are surely the same have the same key; case is folded letter by letter, as all that ignore it do. */
export function sureKey({ letterCase, unicodeForm }: FileNames): NameKey {
  const form: NameKey = unicodeForm === 'ignored' ? (path) => path.normalize('NFC') : (path) => path;
  if (letterCase !== 'ignored') return form;
  return (path) => (isPlain(path) ? path.toLowerCase() : form([...form(path)].map(lowered).join('')));
}

/** Paths that may be the same have the same key: also ß and ss, which only some file systems take for one. */
export function possibleKey({ letterCase, unicodeForm }: FileNames): NameKey {
  const folded: NameKey = letterCase === 'distinct' ? (path) => path : (path) => path.toUpperCase().toLowerCase();
  if (unicodeForm === 'distinct') return folded;
  return (path) => (isPlain(path) ? folded(path) : folded(path.normalize('NFD')).normalize('NFC'));
}

/** Letters of ASCII alone, as most paths: they have one Unicode form, and one letter for each in the other case. */
function isPlain(path: string): boolean {
  return !/[^ -~]/.test(path);
}

function lowered(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === character.length ? lower : character;
}
