import { join } from 'node:path';
import { createProcessHolder } from '@reeve/sandbox';
import type { EscapeVerdict } from '@reeve/sandbox/examine';
import { printedBy, testUsers } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';

const rig = join(import.meta.dirname, 'server-escapes.rig.ts');
const users = testUsers(rig);

async function usable(): Promise<boolean> {
  await using holder = createProcessHolder();
  return (await holder.probe()).usable;
}

describe.runIf(await usable())('an MCP server', () => {
  it.each(users)('is stopped at every attempt to get out, started by $name', async ({ ids }) => {
    const verdicts = (await printedBy([rig], ids, 'secret-of-the-server')) as EscapeVerdict[];
    expect(verdicts.length).toBeGreaterThanOrEqual(40);
    expect(verdicts.filter(({ verdict }) => verdict === 'escaped')).toEqual([]);
    const untried = verdicts.filter(({ verdict }) => verdict === 'not-applicable');
    expect(untried.filter(({ detail }) => !/perl is not installed|lacks what it is about/.test(detail))).toEqual([]);
  });
});
