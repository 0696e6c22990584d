import type { InstallableAgent } from '@reeve/protocol';
import type { PackageInstaller } from '../install/package-installer.ts';
import { parsePackageName } from '../install/package-name.ts';
import type { AgentEntry, AgentRegistry } from './agent-registry.ts';
import { installedEntry, programOf } from './installed-entry.ts';

export interface AgentsByInstall {
  /** The agent of that name, installed or not. */
  find(name: string): AgentEntry | undefined;
  /** Those that no version is installed of, and that are not configured. */
  missing(): readonly InstallableAgent[];
  /** Registers those that are installed, each in its newest version. */
  register(): Promise<void>;
}

/** Agents whose command is nowhere on this machine, configured or not: they can be started once a version of them is installed. */
export function agentsByInstall(
  entries: readonly AgentEntry[],
  registry: AgentRegistry,
  packages: PackageInstaller,
): AgentsByInstall {
  return {
    find: (name) => entries.find((entry) => entry.name === name),
    missing: () =>
      entries.flatMap(({ name, npm }) => {
        const pkg = parsePackageName(npm?.package);
        return pkg === undefined || registry.find(name) ? [] : [{ name, package: pkg }];
      }),
    async register() {
      const found = await Promise.all(
        entries.map(async (entry) => {
          const name = parsePackageName(entry.npm?.package);
          const [newest] = name ? await packages.installed(name) : [];
          return { entry, newest };
        }),
      );
      for (const { entry, newest } of found) {
        // One whose program is not plain cannot be started: it was refused as that when it was asked for.
        if (newest && programOf(entry, newest) !== undefined) registry.put(installedEntry(entry, newest));
      }
    },
  };
}
