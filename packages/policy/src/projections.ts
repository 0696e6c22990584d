import type { BoundaryRoot } from '@reeve/protocol';
import type { PathRefusal } from './absolute-path.ts';
import type { Boundary } from './boundary.ts';
import { toFileUri } from './file-uri.ts';
import { intersectRoots, type Roots, searched } from './root-algebra.ts';

/** One decision that a server may be shown a root. */
export interface RootGrant extends BoundaryRoot {
  /** Milliseconds since the epoch; it counts before, not at it. Without it, for good. */
  readonly expiresAt?: number;
}

export interface ServerRootsInput {
  readonly boundary: Boundary;
  /** Those of this server. */
  readonly grants: readonly RootGrant[];
  /** Directories that the operator put on the server's command line; without them it has none, which limits nothing. */
  readonly commandLine?: Roots;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What one server may have: granted, still valid, inside the boundary, and no more than its command line names. In the boundary's order. */
export function serverRoots({ boundary, grants, commandLine, now }: ServerRootsInput): BoundaryRoot[] {
  const valid = grants.flatMap((grant) => {
    if (grant.expiresAt === undefined) return [grant];
    const { expiresAt, ...root } = grant;
    return now < expiresAt ? [root] : [];
  });
  const granted = intersectRoots(boundary.roots, valid);
  return commandLine === undefined ? granted : intersectRoots(granted, commandLine);
}

/** One entry of the answer to `roots/list` (MCP, roots). */
export interface McpRoot {
  readonly uri: string;
  readonly name?: string;
}

export interface McpRootList {
  readonly roots: readonly McpRoot[];
  /** Roots that no URI can name without doubt: left out, and to be told to the person. */
  readonly left: readonly { readonly root: BoundaryRoot; readonly refusal: PathRefusal }[];
}

export function mcpRootList(roots: Roots): McpRootList {
  const left: { root: BoundaryRoot; refusal: PathRefusal }[] = [];
  const named = roots.flatMap((root): McpRoot[] => {
    const made = toFileUri(root.path);
    if (made.kind === 'uri') return [root.name === undefined ? { uri: made.uri } : { uri: made.uri, name: root.name }];
    left.push({ root, refusal: made });
    return [];
  });
  return { roots: named, left };
}

/** `cwd` and `additionalDirectories` of `session/new` (ACP, session setup). */
export type AcpDirectories =
  | { readonly kind: 'directories'; readonly cwd: string; readonly additionalDirectories: readonly string[] }
  | { readonly kind: 'cwd_outside'; readonly next: string };

/** The working directory, which must be inside, and every root besides it that is a directory, in order: ACP knows of no other. */
export function acpDirectories({ roots }: Pick<Boundary, 'roots'>, cwd: string): AcpDirectories {
  if (searched(roots).around(cwd) === undefined) {
    return { kind: 'cwd_outside', next: 'Choose a cwd inside a root, or add a root around it.' };
  }
  const others = roots.flatMap(({ path, kind }) => (path === cwd || kind === 'file' ? [] : [path]));
  return { kind: 'directories', cwd, additionalDirectories: [...new Set(others)] };
}
