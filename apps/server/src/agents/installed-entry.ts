import { basename } from 'node:path';
import { ReeveError } from '@reeve/protocol';
import type { InstalledPackage } from '../install/installed-package.ts';
import type { AgentEntry } from './agent-registry.ts';

/** The entry with an installed version's program in place of its command. Throws `install_failed` where that is not plain. */
export function installedEntry(entry: AgentEntry, installed: InstalledPackage): AgentEntry {
  const command = programOf(entry, installed);
  if (command !== undefined) return { ...entry, command, args: entry.npm?.args ?? entry.args };
  const { name, version, bins } = installed;
  const all = Object.keys(bins);
  const next =
    all.length > 0 ? `name one of its own (${all.join(', ')})` : 'it has none, so another package must be named';
  throw new ReeveError('install_failed', {
    message: `${name}@${version} has no program "${entry.npm?.bin ?? basename(entry.command)}": ${next} under "npm" of agent "${entry.name}"`,
    data: { package: name, version, bins: all },
  });
}

/** The program that the configuration names, else that of the configured command, else the only one; undefined where there is none. */
export function programOf({ npm, command }: AgentEntry, { bins }: InstalledPackage): string | undefined {
  if (npm?.bin !== undefined) return own(bins, npm.bin);
  const all = Object.values(bins);
  return own(bins, basename(command)) ?? (all.length === 1 ? all[0] : undefined);
}

function own(bins: InstalledPackage['bins'], bin: string): string | undefined {
  return Object.hasOwn(bins, bin) ? bins[bin] : undefined;
}
