import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { openDatabase } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

export type DatabaseInspection =
  | { readonly kind: 'works'; readonly schema: number; readonly knownSchema: number; readonly sqlite: string }
  | { readonly kind: 'broken'; readonly message: string };

/** Makes a database like that of the store in a directory of its own below `directory`, and takes it away again. */
export function tryDatabase(directory: string): DatabaseInspection {
  return inspected(() => {
    const place = mkdtempSync(join(directory, '.reeve-trial-'));
    try {
      using db = openDatabase({ file: join(place, 'trial.db') });
      return schemaOf(db);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
}

/** Reads what stands in the database file, changes nothing, and needs no lock: a server may be using it. */
export function inspectDatabase(file: string): DatabaseInspection {
  return inspected(() => {
    const url = pathToFileURL(file);
    // Else SQLite makes a file beside it to share an index of the WAL in.
    url.searchParams.set('immutable', '1');
    using db = new DatabaseSync(url, { readOnly: true });
    return schemaOf(db);
  });
}

function schemaOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}

function inspected(read: () => number): DatabaseInspection {
  try {
    const schema = read();
    if (schema <= MIGRATIONS.length) {
      return { kind: 'works', schema, knownSchema: MIGRATIONS.length, sqlite: process.versions.sqlite ?? 'unknown' };
    }
    return {
      kind: 'broken',
      message: `it was written by a newer Reeve (schema ${schema}, this one knows ${MIGRATIONS.length})`,
    };
  } catch (error) {
    return { kind: 'broken', message: (error as Error).message };
  }
}
