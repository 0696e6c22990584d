/** The name of an npm package, checked: safe as a folder under another and as an argument of a command. */
export type PackageName = string & { readonly __brand: 'PackageName' };

const MAX_LENGTH = 214;
const PART = '[a-z0-9][a-z0-9._~-]*';
const NAME = new RegExp(`^(?:@${PART}/)?${PART}$`);

/** Undefined for what is no name of the registry's own kind: URLs, paths, git addresses, flags, names with a version. */
export function parsePackageName(text: unknown): PackageName | undefined {
  return typeof text === 'string' && text.length <= MAX_LENGTH && NAME.test(text) ? (text as PackageName) : undefined;
}
