import type { SandboxRoot } from '@reeve/sandbox';
import { innermost, isWithin } from './agent-sandbox-home.ts';

export interface InsideView {
  readonly home: string;
  readonly state: readonly string[];
  readonly roots: readonly SandboxRoot[];
}

const DIRECTORIES = new Set([
  'XDG_RUNTIME_DIR',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
]);

/** The environment of an agent without variables that name directories which do not exist inside: programs stop at these. */
export function sandboxEnvironment(
  env: Readonly<Record<string, string>>,
  { home, state, roots }: InsideView,
): Readonly<Record<string, string>> {
  const seen = (path: string): boolean =>
    path === '/tmp' ||
    isWithin(path, home) ||
    innermost(roots, path) !== undefined ||
    state.some((kept) => isWithin(kept, path));
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !DIRECTORIES.has(name) || seen(value)));
}
