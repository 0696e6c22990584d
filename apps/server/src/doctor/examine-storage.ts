import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { inspectDatabase, tryDatabase } from '../store/sqlite/inspect-database.ts';
import type { Finding } from './doctor-report.ts';

/** The data directory and the store in it. Makes neither; what it tries is gone afterwards. */
export function examineStorage({ dataDir, store }: Pick<Config, 'dataDir' | 'store'>): readonly Finding[] {
  const directory = examineDirectory(dataDir);
  if (directory.state === 'wrong') {
    return [directory, { id: 'store', state: 'skipped', detail: 'there is no place for it' }];
  }
  return [directory, examineStore(dataDir, store)];
}

function examineDirectory(dataDir: string): Finding {
  const id = 'data-directory';
  const place = nearestExisting(dataDir);
  const next = 'Let this user write there, or choose another with --data or "dataDir".';
  try {
    if (!statSync(place).isDirectory()) {
      return { id, state: 'wrong', detail: `${dataDir}: ${place} is a file`, next };
    }
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
    rmdirSync(mkdtempSync(join(place, '.reeve-trial-')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const where = place === dataDir ? 'it' : `it is not there, and ${place}`;
    return { id, state: 'wrong', detail: `${dataDir}: ${where} cannot be written (${code})`, next };
  }
  return {
    id,
    state: 'ok',
    detail: place === dataDir ? `${dataDir}, writable` : `${dataDir}, is made at the first start`,
  };
}

function examineStore(dataDir: string, store: Config['store']): Finding {
  const id = 'store';
  if (store === 'memory') {
    return { id, state: 'weak', detail: 'in memory: nothing is kept over a restart ("store")' };
  }
  const file = join(dataDir, 'reeve.db');
  const exists = existsSync(file);
  const found = exists ? inspectDatabase(file) : tryDatabase(nearestExisting(dataDir));
  if (found.kind === 'broken') {
    return {
      id,
      state: 'wrong',
      detail: exists ? `${file} cannot be used: ${found.message}` : `no database can be kept there: ${found.message}`,
      next: exists
        ? 'Use the Reeve that wrote it, take it from a backup, or choose another data directory.'
        : 'Choose a data directory on a local file system with space left.',
    };
  }
  const { schema, knownSchema, sqlite } = found;
  const detail = exists
    ? `${file}, schema ${schema} of ${knownSchema}, SQLite ${sqlite}`
    : `a database can be kept there, SQLite ${sqlite}`;
  return { id, state: 'ok', detail };
}

function nearestExisting(path: string): string {
  let at = path;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}
