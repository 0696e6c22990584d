import { join } from 'node:path';
import { createProcessHolder } from '@reeve/sandbox';
import type { EscapeVerdict } from '@reeve/sandbox/examine';
import { printedBy, type TestUser, testUsers } from '@reeve/testkit';
import { describe, expect, it } from 'vitest';

const rig = join(import.meta.dirname, 'agent-escapes.rig.ts');
const users = testUsers(rig);

await using holder = createProcessHolder();
const probe = await holder.probe();

async function run(mode: 'confined' | 'bare', ids: TestUser['ids']): Promise<readonly EscapeVerdict[]> {
  return (await printedBy([rig, mode], ids, 'secret-of-the-server')) as EscapeVerdict[];
}

const skipped = probe.usable ? '' : ` (skipped: ${probe.reason})`;
describe.skipIf(!probe.usable).each(users)(`the agent of a session, started by $name${skipped}`, ({ ids }) => {
  it('is stopped at every attempt to get out of its sandbox', async () => {
    const verdicts = await run('confined', ids);
    expect(verdicts.length).toBeGreaterThanOrEqual(40);
    const passed = verdicts.filter(({ verdict }) => verdict !== 'blocked');
    // Nothing but a missing perl or ipcmk may keep an attempt from being made.
    expect(passed.filter(({ detail }) => !/perl is not installed|lacks what it is about/.test(detail))).toEqual([]);
  });
});

describe.each(users)('a program that no sandbox holds, started by $name', ({ ids }) => {
  it('gets out where an agent does not', async () => {
    const verdicts = await run('bare', ids);
    const escaped = verdicts.filter(({ verdict }) => verdict === 'escaped').map(({ id }) => id);
    const ways = ['read-sibling', 'list-parent', 'symlink-write', 'write-read-only', 'write-hook', 'setuid-file'];
    expect(escaped).toEqual(
      expect.arrayContaining([...ways, 'other-environment', 'signal', 'connect-unix', 'connect-tcp']),
    );
  });
});
