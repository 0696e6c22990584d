import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from './database.ts';
import { inspectDatabase, tryDatabase } from './inspect-database.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-inspect-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('tries a database of its own and leaves nothing behind', () => {
  expect(tryDatabase(directory)).toMatchObject({ kind: 'works', schema: expect.any(Number) });
  expect(readdirSync(directory)).toEqual([]);
  expect(tryDatabase(join(directory, 'missing'))).toMatchObject({ kind: 'broken' });
});

it('reads a database that a server holds, and changes nothing beside it', () => {
  const file = join(directory, 'reeve.db');
  {
    using _made = openDatabase({ file });
  }
  using held = openDatabase({ file });
  const before = readdirSync(directory);
  const found = inspectDatabase(file);
  expect(found).toMatchObject({ kind: 'works' });
  if (found.kind === 'works') expect(found.schema).toBe(found.knownSchema);
  expect(readdirSync(directory)).toEqual(before);
  expect(held.isOpen).toBe(true);
});

it('says what is wrong with one that is none, or that is newer', () => {
  const file = join(directory, 'reeve.db');
  writeFileSync(file, 'x'.repeat(8192));
  expect(inspectDatabase(file)).toEqual({ kind: 'broken', message: expect.stringContaining('not a database') });
  rmSync(file);
  {
    using db = new DatabaseSync(file);
    db.exec('PRAGMA user_version=999');
  }
  expect(inspectDatabase(file)).toEqual({ kind: 'broken', message: expect.stringContaining('newer Reeve') });
});
