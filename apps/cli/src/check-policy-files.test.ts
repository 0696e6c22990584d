import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPolicyFiles } from './check-policy-files.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-policies-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const FINE = '@id("a") permit(principal, action, resource);';

describe('the policy files of the configuration', () => {
  it('are no problem where they hold, or where there are none', async () => {
    expect(await checkPolicyFiles([])).toEqual([]);
    expect(await checkPolicyFiles([file('fine.cedar', FINE)])).toEqual([]);
  });

  it('are told with file, place and mend where they do not hold together', async () => {
    const twice = [file('a.cedar', FINE), file('b.cedar', `\n${FINE}`)];
    expect(await checkPolicyFiles(twice)).toMatchObject([
      {
        path: 'policy.files',
        source: twice[1],
        line: 2,
        came: expect.stringContaining('"a"'),
        mend: expect.any(String),
      },
    ]);
    const missing = join(directory, 'none.cedar');
    expect(await checkPolicyFiles([missing])).toMatchObject([
      { source: missing, came: expect.stringContaining('is not there') },
    ]);
  });
});
