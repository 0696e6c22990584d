import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPolicyFiles } from './read-policy-files.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-policies-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the policy files of the configuration', () => {
  it('are read in their order', async () => {
    for (const name of ['b', 'a']) writeFileSync(join(directory, name), `text of ${name}`);
    const paths = ['b', 'a'].map((name) => join(directory, name));
    expect(await readPolicyFiles(paths)).toEqual({
      kind: 'read',
      files: [
        { name: paths[0], text: 'text of b' },
        { name: paths[1], text: 'text of a' },
      ],
    });
  });

  it('are all told that cannot be read, with what to do', async () => {
    writeFileSync(join(directory, 'latin'), Buffer.from([0xe4]));
    writeFileSync(join(directory, 'long'), 'x'.repeat(1024 * 1024 + 1));
    const paths = ['none', 'latin', 'long', '.'].map((name) => join(directory, name));
    const read = await readPolicyFiles(paths);
    expect(read.kind === 'unreadable' && read.problems.map(({ message }) => message)).toEqual([
      'there is no such file',
      'it is no UTF-8 text',
      'it is longer than 1048576 bytes',
      'it cannot be read (EISDIR)',
    ]);
  });
});
