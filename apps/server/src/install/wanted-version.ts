import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Some fifty files: loaded with the first version that is looked at, which at a start without installed agents is none. */
const semver = (): typeof import('semver') => require('semver');

/** Which version of a package is asked for. `exact` and `range` are normal forms of node-semver; a tag is the registry's to resolve. */
export type WantedVersion =
  | { readonly kind: 'exact'; readonly version: string }
  | { readonly kind: 'range'; readonly range: string }
  | { readonly kind: 'tag'; readonly tag: string };

const MAX_LENGTH = 256;
const TAG = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** What `parseWanted` takes, for messages. */
export const WANTED_FORMS = 'a version ("1.2.3"), a range ("^1.2", ">=1 <3") or a tag of the registry ("latest")';

/** Undefined for whatever is none of the three: URLs, paths, git addresses and aliases among them. */
export function parseWanted(text: unknown): WantedVersion | undefined {
  if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_LENGTH) return undefined;
  const version = semver().valid(text);
  if (version !== null) return { kind: 'exact', version };
  const range = semver().validRange(text);
  if (range !== null) return { kind: 'range', range };
  return TAG.test(text) ? { kind: 'tag', tag: text } : undefined;
}

/** The text as it is when it is a version in its normal form, which is also a safe name of a folder. */
export function parseExactVersion(text: unknown): string | undefined {
  return typeof text === 'string' && text.length <= MAX_LENGTH && semver().valid(text) === text ? text : undefined;
}

/** Whether a version is what is asked for; never for a tag, of which only the registry knows. */
export function meets(version: string, wanted: WantedVersion): boolean {
  switch (wanted.kind) {
    case 'exact':
      return semver().valid(version) === wanted.version;
    case 'range':
      return semver().valid(version) !== null && semver().satisfies(version, wanted.range);
    case 'tag':
      return false;
  }
}

/** The newest of `versions` that is asked for. */
export function newestThatMeets(versions: readonly string[], wanted: WantedVersion): string | undefined {
  return newestFirst(versions).find((version) => meets(version, wanted));
}

/** What is no version is left out. */
export function newestFirst(versions: readonly string[]): string[] {
  return versions.length === 0 ? [] : semver().rsort(versions.filter((version) => semver().valid(version) !== null));
}

export function isNewer(version: string, than: string): boolean {
  return semver().gt(version, than);
}
