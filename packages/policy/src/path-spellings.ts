import { MAX_PATH_BYTES } from './absolute-path.ts';

/** A longer text becomes a path only by losing dots and slashes. */
export const MAX_PATH_TEXT = 3 * (MAX_PATH_BYTES + 1);
/** Nobody decodes more often. */
const MAX_DECODINGS = 8;

/**
 * A text as programs read it that take a path from it: as it came, without white space around it, with percent signs decoded, with
 * `\` as a separator, with the name of the home directory in place of its variable.
 * @param separators whether `\` at the beginning separates too, which elsewhere begins a regular expression
 */
export function pathSpellings(text: string, separators: boolean): ReadonlySet<string> {
  const all = new Set([text]);
  const trimmed = text.trim();
  if (trimmed !== '') all.add(trimmed);
  let from = trimmed;
  for (let round = 0; round < MAX_DECODINGS && /%[0-9a-f]{2}/i.test(from); round++) {
    from = decoded(from);
    if (from.includes('\0')) break;
    all.add(from);
  }
  for (const path of [...all]) {
    const climbs = /(?:^|[\\/])\.\.(?:\\|$)/.test(path);
    if (climbs || (separators && path.startsWith('\\'))) all.add(path.replaceAll('\\', '/'));
    const inHome = /^\$(?:HOME|\{HOME\})(\/.*)?$/s.exec(path);
    if (inHome) all.add(`~${inHome[1] ?? ''}`);
  }
  return all;
}

/** A text too long for a path, as a program has it that takes empty segments and single dots away before it looks. */
export function shorterPath(text: string): string {
  return text.length <= MAX_PATH_TEXT ? text : text.replaceAll(/\/{2,}/g, '/').replaceAll(/(?:\/\.)+(?=\/)/g, '');
}

/** Each run of encoded bytes as UTF-8, or as Latin-1 where it is none. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replaceAll(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
}
