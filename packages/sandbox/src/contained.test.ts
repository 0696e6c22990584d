import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bareProfile } from './bare-profile.ts';
import { bubblewrapWorks, openHost, processesWith, type TestHost, testUsers } from './bubblewrap/host-client.rig.ts';
import type { Launch } from './index.ts';

const env = { PATH: '/usr/bin:/bin' };
const shell = (text: string): Launch => ({ command: '/bin/sh', args: ['-c', text], env, cwd: '/' });

describe.skipIf(!bubblewrapWorks).each(testUsers)(
  'a process without a profile, as $name (needs bubblewrap and user namespaces)',
  (user) => {
    let host: TestHost;
    beforeEach(() => {
      host = openHost(user);
    });
    afterEach(() => host[Symbol.asyncDispose]());

    it('is as free as the server, but for the processes it sees', async () => {
      host.write({ file: 'x' });
      const { stdout, enforcement } = await host.run({
        ...shell('id -u; grep CapEff /proc/self/status; pwd -P; echo more >>file; cat file; ps -A -o pid= | wc -l'),
        cwd: host.base,
      });
      const [uid, capabilities, cwd, file, count] = stdout.trim().split('\n');
      expect(Number(uid)).toBe(user.uid ?? process.getuid?.());
      const own = /CapEff:\s(\w+)/.exec(readFileSync(`/proc/${host.child.pid}/status`, 'latin1'))?.[1];
      expect(capabilities?.endsWith(String(own))).toBe(true);
      expect([cwd, file]).toEqual([host.base, 'xmore']);
      expect(Number(count)).toBeLessThan(8);
      expect(enforcement).toMatchObject({ backend: 'none', fs: 'declared', network: 'declared', limits: 'declared' });
      expect(enforcement.gaps.join()).not.toContain('tree');
    });

    it('gets the declared environment and the marker, and its stdio as its only descriptors', async () => {
      const { stdout } = await host.run({
        ...shell('env; for fd in /proc/$$/fd/*; do readlink $fd; done'),
        env: { A: 'b' },
      });
      const lines = stdout.trim().split('\n');
      expect(lines.filter((line) => /^(A|REEVE_PROCESS|SECRET_OF_THE_SERVER)=/.test(line)).length).toBe(2);
      const targets = lines.filter((line) => line.startsWith('/') || line.includes(':['));
      expect(targets.slice(3).filter((target) => target !== '/dev/null')).toEqual([]);
    });

    it('tells its exit code, its signal and its bytes as they are', async () => {
      expect((await host.run(shell('exit 7'))).exit).toEqual({ code: 7, signal: null });
      expect((await host.run(shell('kill -9 $$'))).exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await host.run(shell('cat; echo err >&2'), 'end', 'in\n')).toMatchObject({
        stdout: 'in\n',
        stderr: 'err\n',
      });
    });

    it('is asked, then killed, with whatever left its group, environment and parent', async () => {
      const token = orphanToken();
      const polite = 'trap "exit 5" TERM; echo up; while :; do sleep 0.05; done';
      expect((await host.run(shell(polite), { graceMs: 20 })).exit).toEqual({ code: 5, signal: null });
      const stubborn = `${orphan(token)}; trap "" TERM; sleep 0.2; echo up; while :; do sleep 0.05; done`;
      const { exit } = await host.run(shell(stubborn), { graceMs: 20, killAfterMs: 50 });
      expect(exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect(processesWith(token)).toEqual([]);
    });

    it('takes along what it leaves behind when it ends by itself', async () => {
      const token = orphanToken();
      await host.run(shell(`${orphan(token)}; sleep 0.2; exit 3`));
      await expect.poll(() => processesWith(token)).toEqual([]);
    });

    it.each([
      ['without a profile', undefined],
      ['inside a profile', bareProfile()],
    ])(
      'leaves nobody when the server is killed with -9, not who left group, environment and parent: %s',
      async (_how, profile) => {
        const token = orphanToken();
        const launch = {
          ...shell(`${orphan(token)}; sleep 0.2; echo up; trap "" TERM HUP; while :; do sleep 1; done`),
        };
        await host.ask(profile === undefined ? launch : { ...launch, profile, cwd: profile.home.path }, 'leave');
        await expect.poll(() => processesWith(token)).not.toEqual([]);
        host.child.kill('SIGKILL');
        await once(host.child, 'exit');
        await expect.poll(() => processesWith(token), { interval: 20 }).toEqual([]);
      },
    );
  },
);

/** A command line that nothing else on this machine has. */
function orphanToken(): string {
  return `sleep 3${Math.floor(Math.random() * 1e9)}.5`;
}

/** Leaves the process group and session, clears its environment and loses its parent. */
function orphan(token: string): string {
  return `(setsid env -i /bin/sh -c '${token}; true' </dev/null >/dev/null 2>&1 &)`;
}
