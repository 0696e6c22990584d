/** Whether `path` is what `pattern` names; `/*` at its end stands for whatever comes below. */
export function isWithin(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

/**
 * Whether whoever reads the path of this target reads it as it stands: `..` and `.` lead nowhere, also where they are written `%2e` (WHATWG URL).
 * What the gate let through by its beginning would be another place else.
 */
export function isPlain(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  return URL.parse(path, 'http://host')?.pathname === path;
}

/** Whether an `Accept` header names pages, as browsers do of what somebody opens. */
export function asksForPage(accept: string | undefined): boolean {
  return /\btext\/html\b/i.test(accept ?? '');
}
