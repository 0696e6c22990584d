/**
 * The package that the command of an MCP server fetches before it runs.
 * - `pinned`: it was approved, or ran, with this archive, and runs with it again, wherever its tag or range leads by now.
 * - `resolved`: what the registry has for it now. An approval pins it.
 * - `unresolved`: the registry could not say. The first start resolves and pins it; `why` is for people.
 * - `unpinned`: the command fetches it by itself at each start, whatever the registry of Python packages has then.
 */
export type ReviewPackage = {
  /** As the command names it: `files`, `files@latest`. */
  readonly spec: string;
  readonly name: string;
} & (
  | {
      readonly kind: 'pinned' | 'resolved';
      readonly registry: 'npm';
      /** Exact. */
      readonly version: string;
      /** Of the archive: `sha512-` and base64. */
      readonly integrity: string;
    }
  | { readonly kind: 'unresolved'; readonly registry: 'npm'; readonly why: string }
  | { readonly kind: 'unpinned'; readonly registry: 'pypi' }
);

/** What a person is told of a package, on one line. */
export function packageText(fetched: ReviewPackage): string {
  const { name, spec } = fetched;
  const quoted = JSON.stringify(spec);
  switch (fetched.kind) {
    case 'pinned':
      return `${name} ${fetched.version}, ${fetched.integrity}: pinned, whatever ${quoted} is by now`;
    case 'resolved':
      return `${name} ${fetched.version}, ${fetched.integrity}: what ${quoted} is now; approving the server pins it`;
    case 'unresolved':
      return `${name}, as ${quoted}: its first start resolves and pins it (${fetched.why})`;
    case 'unpinned':
      return `${name}, as ${quoted}: fetched by the command at each start, pinned by nothing but these words`;
  }
}
