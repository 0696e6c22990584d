/** Whether `path` is what `pattern` names; `/*` at its end stands for whatever comes below. */
export function isWithin(pattern: string, path: string): boolean {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
