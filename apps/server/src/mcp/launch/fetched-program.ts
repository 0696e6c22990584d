import type { InstalledPackage } from '../../install/installed-package.ts';
import type { PackageInstaller } from '../../install/package-installer.ts';
import type { PackageName } from '../../install/package-name.ts';
import { WANTED_FORMS, type WantedVersion } from '../../install/wanted-version.ts';
import type { PackagePins } from './package-pins.ts';
import type { PackageRunner } from './package-runner.ts';
import { parseSpec } from './package-spec.ts';

/** Of the installer, what is needed to run a package. */
export type PackageSource = Pick<PackageInstaller, 'resolve' | 'install'>;

export type FetchedProgram =
  | {
      readonly kind: 'program';
      readonly command: string;
      readonly args: readonly string[];
      readonly from: InstalledPackage;
    }
  /** `retry`: it may work later without anybody changing something. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retry: boolean };

export interface FetchOptions {
  readonly packages: PackageSource;
  readonly pins: Pick<PackagePins, 'find' | 'keep'>;
  /** Of the server: what stands behind a tag or a range stays the same under it. */
  readonly fingerprint: string;
  readonly signal: AbortSignal;
}

/**
 * Resolves and installs, outside of any sandbox and once, what `npx` would fetch at each start: inside there is no network. The archive is
 * checked against the registry's sha512, and against the one of the first start; install scripts are not run.
 */
export async function fetchProgram(
  { spec, bin, args }: Extract<PackageRunner, { kind: 'npm' }>,
  { packages, pins, fingerprint, signal }: FetchOptions,
): Promise<FetchedProgram> {
  const parsed = parseSpec(spec);
  if (parsed === undefined) {
    return failed(
      `its package is none of the npm registry by name and version: write NAME@VERSION, with ${WANTED_FORMS}`,
    );
  }
  const { name, wanted } = parsed;
  const pin = await pins.find(fingerprint, spec);
  const resolved = pin ? { kind: 'version' as const, version: pin.version } : await resolve(packages, name, wanted);
  if (resolved.kind === 'failed') return resolved;
  try {
    const from = await packages.install(name, resolved.version, undefined, signal);
    if (pin !== undefined && pin.integrity !== from.integrity) {
      return failed(
        `${name}@${from.version} is not the archive that it was started with before: find out why, then name the version that is meant`,
      );
    }
    const command = programOf(from, bin);
    if (command === undefined) {
      const all = Object.keys(from.bins).join(', ') || 'none';
      return failed(`${name}@${from.version} has these programs: ${all}. Name one of them with --package`);
    }
    if (pin === undefined) await pins.keep(fingerprint, spec, { version: from.version, integrity: from.integrity });
    return { kind: 'program', command, args, from };
  } catch (error) {
    signal.throwIfAborted();
    return failed(error instanceof Error ? error.message : 'it could not be installed', true);
  }
}

async function resolve(
  packages: PackageSource,
  name: PackageName,
  wanted: WantedVersion,
): Promise<{ readonly kind: 'version'; readonly version: string } | Extract<FetchedProgram, { kind: 'failed' }>> {
  if (wanted.kind === 'exact') return { kind: 'version', version: wanted.version };
  const resolution = await packages.resolve(name, wanted);
  switch (resolution.kind) {
    case 'unknown-package':
      return failed(`the npm registry has no package ${name}: correct its name`);
    case 'no-match':
      return failed(`${name} has no such version; the newest are ${resolution.versions.slice(0, 5).join(', ')}`);
    case 'unreachable': {
      const why = `${name} is not installed yet, and the npm registry cannot be reached: ${resolution.message}`;
      return failed(why, true);
    }
    case 'resolved':
      return { kind: 'version', version: resolution.version };
  }
}

/** As npx chooses: the one that is named, the only one, or the one that has the name of the package. */
function programOf({ name, bins }: InstalledPackage, bin: string | undefined): string | undefined {
  const own = (each: string): string | undefined => (Object.hasOwn(bins, each) ? bins[each] : undefined);
  if (bin !== undefined) return own(bin);
  const all = Object.values(bins);
  return all.length === 1 ? all[0] : own(name.slice(name.indexOf('/') + 1));
}

function failed(reason: string, retry = false): Extract<FetchedProgram, { kind: 'failed' }> {
  return { kind: 'failed', reason, retry };
}
