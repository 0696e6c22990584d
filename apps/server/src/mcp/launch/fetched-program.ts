import { isObject } from '@reeve/protocol';
import type { InstalledPackage } from '../../install/installed-package.ts';
import type { PackageInstaller } from '../../install/package-installer.ts';
import { parsePackageName } from '../../install/package-name.ts';
import { parseWanted, WANTED_FORMS } from '../../install/wanted-version.ts';
import type { PackageRunner } from './package-runner.ts';

/** Of the installer, what is needed to run a package. */
export type ServerPackages = Pick<PackageInstaller, 'resolve' | 'install'>;

export type FetchedProgram =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      readonly from: InstalledPackage;
    }
  /** `retry`: it may work later without anybody changing something. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean };

/**
 * Resolves and installs, outside of any sandbox and once, what `npx` would fetch at each start: inside there is no network. The archive is
 * checked against the registry's sha512; install scripts are not run.
 */
export async function fetchProgram(
  packages: ServerPackages,
  { spec, bin, args }: Extract<PackageRunner, { kind: 'npm' }>,
  signal: AbortSignal,
): Promise<FetchedProgram> {
  const cut = spec.lastIndexOf('@');
  const [name, version] = cut > 0 ? [spec.slice(0, cut), spec.slice(cut + 1)] : [spec, 'latest'];
  const known = parsePackageName(name);
  const wanted = parseWanted(version);
  if (known === undefined || wanted === undefined) {
    return failed(
      `its package is none of the npm registry by name and version: write NAME@VERSION, with ${WANTED_FORMS}`,
    );
  }
  const resolution = await packages.resolve(known, wanted);
  switch (resolution.kind) {
    case 'unknown-package':
      return failed(`the npm registry has no package ${known}: correct its name`);
    case 'no-match':
      return failed(`${known} has no such version; the newest are ${resolution.versions.slice(0, 5).join(', ')}`);
    case 'unreachable':
      return failed(
        `${known} is not installed yet, and the npm registry cannot be reached: ${resolution.message}`,
        true,
      );
    case 'resolved':
  }
  try {
    const from = await packages.install(known, resolution.version, undefined, signal);
    const command = programOf(from, bin);
    if (command !== undefined) return { kind: 'program', command, args, from };
    return failed(
      `${known}@${from.version} has these programs: ${Object.keys(from.bins).join(', ') || 'none'}. Name one of them with --package`,
    );
  } catch (error) {
    signal.throwIfAborted();
    return failed(
      isObject(error) && typeof error.message === 'string' ? error.message : 'it could not be installed',
      true,
    );
  }
}

/** As npx chooses: the one that is named, the only one, or the one that has the name of the package. */
function programOf({ name, bins }: InstalledPackage, bin: string | undefined): string | undefined {
  const own = (each: string): string | undefined => (Object.hasOwn(bins, each) ? bins[each] : undefined);
  if (bin !== undefined) return own(bin);
  const all = Object.values(bins);
  return all.length === 1 ? all[0] : own(name.slice(name.indexOf('/') + 1));
}

function failed(reason: string, retry = false): FetchedProgram {
  return { kind: 'failed', reason, retry };
}
