import { existsSync, realpathSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { basename, dirname } from 'node:path';

/**
 * What is Reeve's own, and shown to nobody, also where a root holds it: its data, and the compiled code that its next start runs. Canonical paths.
 * @param compiled where Node keeps that; a directory that was chosen for other programs too is none of ours
 */
export function ownPlaces(dataDir: string, compiled = getCompileCacheDir()): readonly string[] {
  const code = compiled === undefined ? undefined : dirname(compiled);
  const isOurs = code !== undefined && basename(code) === 'compiled' && basename(dirname(code)) === 'reeve';
  return [dataDir, ...(isOurs ? [code] : [])].map((path) => (existsSync(path) ? realpathSync(path) : path));
}
