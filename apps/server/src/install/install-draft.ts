import { readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { ReeveError } from '@reeve/protocol';
import { INSTALLED_FILE } from './installed-package.ts';
import type { PackageName } from './package-name.ts';

/** What is being installed, in the folder that is renamed when it is whole. */
export interface InstallDraft {
  readonly folder: string;
  readonly name: PackageName;
  readonly version: string;
  /** As the registry says. */
  readonly integrity: string;
}

/** Arguments of npm that install what `package.json` of the folder asks for, into the folder and nowhere else. */
export function installArguments(folder: string): string[] {
  return [
    'install',
    `--prefix=${folder}`,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--omit=dev',
    '--include=optional',
    '--package-lock=true',
    '--omit-lockfile-registry-resolved=false',
    '--global=false',
    '--install-strategy=hoisted',
    '--bin-links=true',
    '--fetch-retries=2',
  ];
}

/** The dependency stands in a file, so that nothing of it is read as an option or an address. */
export async function writeManifest({ folder, name, version }: InstallDraft): Promise<void> {
  const manifest = { name: 'reeve-package', private: true, dependencies: { [name]: version } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
}

/** Compares what npm installed with what the registry said, and writes `installed.json`. Throws `install_failed`. */
export async function sealDraft(draft: InstallDraft): Promise<void> {
  const { folder, name, version, integrity } = draft;
  const lock = (await readJson(join(folder, 'package-lock.json'))) as {
    packages?: Record<string, { version?: string; integrity?: string; link?: boolean } | undefined>;
  };
  const locked = lock.packages?.[`node_modules/${name}`];
  if (locked?.version !== version || locked.integrity !== integrity || locked.link) {
    throw new ReeveError('install_failed', {
      message: `${name}@${version} was not installed as the registry describes it: its integrity should be ${integrity}, npm installed ${locked?.version} with ${locked?.integrity}`,
      data: { package: name, version },
    });
  }
  const bins = await programs(draft);
  const installed = { name, version, integrity, bins, installedAt: Date.now() };
  await writeFile(join(folder, INSTALLED_FILE), JSON.stringify(installed, null, 2));
}

/** Programs by name, as paths relative to the folder; each exists and lies inside it. */
async function programs({ folder, name, version }: InstallDraft): Promise<Record<string, string>> {
  const home = join('node_modules', name);
  const manifest = (await readJson(join(folder, home, 'package.json'))) as {
    bin?: string | Record<string, string>;
    scripts?: Record<string, string>;
  };
  // Packages that hold the program of one platform name none: it lies in their "bin".
  if (manifest.bin === undefined) return existing(folder, join(home, 'bin'), await filesIn(join(folder, home, 'bin')));
  const unscoped = name.slice(name.indexOf('/') + 1);
  const names = typeof manifest.bin === 'string' ? [unscoped] : Object.keys(manifest.bin);
  const found = await existing(folder, join('node_modules', '.bin'), names);
  if (names.length > 0 && Object.keys(found).length === 0) {
    const script = ['preinstall', 'install', 'postinstall'].find((each) => manifest.scripts?.[each] !== undefined);
    const why = script ? `its "${script}" script makes it, and Reeve runs no install scripts` : 'the package lacks it';
    throw new ReeveError('install_failed', {
      message: `${name}@${version} has no program after its installation: ${why}. Install it by hand and name its program as "command" of the agent`,
      data: { package: name, version, bins: names },
    });
  }
  return found;
}

/** Those of `names` in `place` that may be executed and, links followed, lie inside the folder. */
async function existing(folder: string, place: string, names: readonly string[]): Promise<Record<string, string>> {
  const inside = (await realpath(folder)) + sep;
  const found: Record<string, string> = {};
  for (const bin of names.filter((each) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(each))) {
    const target = await realpath(join(folder, place, bin)).catch(() => undefined);
    if (!target?.startsWith(inside)) continue;
    const file = await stat(target);
    if (file.isFile() && (file.mode & 0o100) !== 0) found[bin] = join(place, bin);
  }
  return found;
}

async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return {};
  }
}
