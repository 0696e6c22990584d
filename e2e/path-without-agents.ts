import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** A PATH, made in `home`, that has node and npm, and none of the agents that this machine may have. */
export async function pathWithoutAgents(home: string): Promise<string> {
  const bin = join(home, 'bin');
  await mkdir(bin);
  await symlink(process.execPath, join(bin, 'node'));
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'npm'));
  await symlink(places.find((place) => existsSync(place)) ?? 'npm', join(bin, 'npm'));
  return bin;
}
