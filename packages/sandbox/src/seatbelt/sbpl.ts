/**
 * A string of the sandbox profile language, which is read as Scheme: quote and backslash are escaped. Undefined for a
 * text with control characters, which no escape of the reader is documented for.
 */
export function sbplString(text: string): string | undefined {
  for (const character of text) if (character < ' ' || character === '\u007f') return undefined;
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

export type SbplFilter = 'subpath' | 'literal';

/** `(allow OPERATIONS (FILTER "path") …)`; nothing for no paths. Throws on a path that has no string. */
export function sbplRule(
  verdict: 'allow' | 'deny',
  operations: string,
  filter: SbplFilter,
  paths: readonly string[],
): readonly string[] {
  if (paths.length === 0) return [];
  const filters = paths.map((path) => {
    const text = sbplString(path);
    if (text === undefined) throw new Error('a path with control characters has no string in a sandbox profile');
    return `(${filter} ${text})`;
  });
  return [`(${verdict} ${operations} ${filters.join(' ')})`];
}
