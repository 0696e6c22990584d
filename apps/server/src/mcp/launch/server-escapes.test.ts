import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createProcessHolder } from '@reeve/sandbox';
import type { EscapeVerdict } from '@reeve/sandbox/examine';
import { describe, expect, it } from 'vitest';

const rig = join(import.meta.dirname, 'server-escapes.rig.ts');
const root = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
/** Where the repository lies in the home of root, others cannot read it. */
const nobodyCanRead = root && spawnSync(process.execPath, ['--check', rig], { ...nobody, cwd: '/' }).status === 0;
const users = [
  { name: root ? 'root' : 'an unprivileged user', ids: {} },
  ...(nobodyCanRead ? [{ name: 'an unprivileged user', ids: nobody }] : []),
];

async function usable(): Promise<boolean> {
  await using holder = createProcessHolder();
  return (await holder.probe()).usable;
}

describe.runIf(await usable())('an MCP server', () => {
  it.each(users)('is stopped at every attempt to get out, started by $name', async ({ ids }) => {
    const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', SERVER_SECRET: 'secret-of-the-server' };
    const child = spawn(process.execPath, [rig], { ...ids, env, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const verdicts = JSON.parse(said) as EscapeVerdict[];
    expect(verdicts.length).toBeGreaterThanOrEqual(40);
    expect(verdicts.filter(({ verdict }) => verdict === 'escaped')).toEqual([]);
    const untried = verdicts.filter(({ verdict }) => verdict === 'not-applicable');
    expect(untried.filter(({ detail }) => !/perl is not installed|lacks what it is about/.test(detail))).toEqual([]);
  });
});
