import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageName } from './package-name.ts';
import { newestFirst, parseExactVersion } from './wanted-version.ts';

/** One version of a package that is installed whole. */
export interface InstalledPackage {
  readonly name: PackageName;
  readonly version: string;
  /** sha512 of its archive, as registry and lockfile agreed. */
  readonly integrity: string;
  /** Programs by name: absolute paths. */
  readonly bins: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly installedAt: number;
}

/** `installed.json` of a version's folder: the paths of `bins` are relative to it. */
export const INSTALLED_FILE = 'installed.json';

/** Where the versions of a package lie under `root`. */
export function packageFolder(root: string, name: PackageName): string {
  return join(root, ...name.split('/'));
}

/** Newest first; what is not whole is left out. */
export async function installedVersions(root: string, name: PackageName): Promise<InstalledPackage[]> {
  const entries = await readdir(packageFolder(root, name)).catch(() => []);
  const found = await Promise.all(entries.map((version) => findInstalled(root, name, version)));
  const byVersion = new Map(found.flatMap((each) => (each ? [[each.version, each] as const] : [])));
  return newestFirst([...byVersion.keys()]).flatMap((version) => byVersion.get(version) ?? []);
}

export async function findInstalled(
  root: string,
  name: PackageName,
  version: string,
): Promise<InstalledPackage | undefined> {
  if (parseExactVersion(version) === undefined) return undefined;
  const folder = join(packageFolder(root, name), version);
  try {
    const said = JSON.parse(await readFile(join(folder, INSTALLED_FILE), 'utf8')) as InstalledPackage;
    if (said.name !== name || said.version !== version) return undefined;
    const bins = Object.entries(said.bins).map(([bin, path]) => [bin, join(folder, path)]);
    return { ...said, bins: Object.fromEntries(bins) };
  } catch {
    return undefined;
  }
}
