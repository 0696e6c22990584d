import { symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareProfile } from '../bare-profile.ts';
import { bubblewrapWorks, openHost, script, type TestHost, testUsers } from './host-client.rig.ts';

describe.skipIf(!bubblewrapWorks).each(testUsers)(
  'a process inside its profile, as $name (needs bubblewrap and user namespaces)',
  (user) => {
    let host: TestHost;
    const roots = () => [{ path: join(host.base, 'project'), access: 'rw' as const }];
    const launch = (text: string, parts: Parameters<typeof script>[1] = {}) =>
      script(text, { roots: roots(), ...parts });

    beforeAll(() => {
      host = openHost(user);
      host.write({
        'project/agent': '#!/bin/sh\necho "$@"\n',
        'project/lost': '#!/opt/no-such-interpreter\n',
        'tools/agent': '#!/bin/sh\necho tool\n',
      });
    });
    afterAll(() => host[Symbol.asyncDispose]());

    it('gets the declared environment, HOME and the marker, and nothing of the server', async () => {
      const { stdout } = await host.run({
        ...launch(''),
        command: '/usr/bin/env',
        args: [],
        env: { A: 'é=1', REEVE_PROCESS: 'forged', HOME: '/elsewhere', LD_PRELOAD: '' },
      });
      expect(stdout.trim().split('\n').toSorted()).toEqual([
        'A=é=1',
        'HOME=/home/agent',
        'LD_PRELOAD=',
        `PWD=${join(host.base, 'project')}`,
        expect.stringMatching(/^REEVE_PROCESS=[0-9a-f-]{36}$/),
      ]);
    });

    it('finds neither environment nor mounts in the processes it sees, and no other process', async () => {
      const { stdout } = await host.run({
        ...launch('ls /proc | grep -c "^[0-9]"; cat /proc/[0-9]*/environ /proc/1/cmdline | tr "\\0" "\\n"'),
        env: { PATH: '/usr/bin:/bin', KEY: 'of-this-agent' },
      });
      expect(Number(stdout.split('\n')[0])).toBeLessThan(6);
      expect(stdout).not.toContain('SECRET_OF_THE_SERVER');
      expect(stdout).not.toContain('--bind');
    });

    it('inherits no descriptor but its stdio', async () => {
      const { stdout } = await host.run(launch('for fd in /proc/$$/fd/*; do readlink $fd; done'));
      expect(
        stdout
          .trim()
          .split('\n')
          .slice(3)
          .filter((target) => target !== '/dev/null'),
      ).toEqual([]);
    });

    it('tells its exit code, its signal and its bytes as they are', async () => {
      expect((await host.run(launch('exit 7'))).exit).toEqual({ code: 7, signal: null });
      expect((await host.run(launch('kill -9 $$'))).exit).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await host.run(launch('cat; echo err >&2'), 'end', 'in\n')).toMatchObject({
        stdout: 'in\n',
        stderr: 'err\n',
      });
    });

    it('may handle SIGTERM when it lives on after the end of its stdin', async () => {
      const polite = 'trap "echo bye >&2; exit 5" TERM; echo up; while :; do sleep 0.05; done';
      const { exit, stderr } = await host.run(launch(polite), { graceMs: 20 });
      expect({ exit, stderr }).toMatchObject({
        exit: { code: 5, signal: null },
        stderr: expect.stringContaining('bye'),
      });
    });

    it('is killed when it ignores SIGTERM', async () => {
      const stubborn = 'trap "" TERM; setsid sleep 300 & echo up; while :; do sleep 0.05; done';
      const { exit } = await host.run(launch(stubborn), { graceMs: 20, killAfterMs: 50 });
      expect(exit).toEqual({ code: null, signal: 'SIGKILL' });
    });

    it('says what holds it', async () => {
      const { enforcement } = await host.run(launch('true', { limits: { openFiles: 64, fileBytes: 4_096 } }));
      expect(enforcement).toMatchObject({ backend: 'bubblewrap', fs: 'enforced', network: 'enforced' });
      expect(enforcement.gaps).toEqual([]);
      const full = await host.run(launch('true', { network: 'full' }));
      expect(full.enforcement.network).toBe('declared');
      expect(full.enforcement.gaps.join()).toContain('network: the process is granted all of the network');
    });

    it('is held by its limits', async () => {
      const { stdout } = await host.run(
        launch('ulimit -n; ulimit -c; head -c 9000 /dev/zero >big; stat -c %s big; rm big', {
          limits: { openFiles: 64, fileBytes: 4_096 },
        }),
      );
      expect(stdout.trim().split('\n')).toEqual(['64', '0', '4096']);
      const slow = await host.run(launch('sleep 300', { limits: { wallMs: 300 } }));
      expect(slow.exit.signal).toMatch(/SIGTERM|SIGKILL/);
      expect(slow.stderr).toContain('reeve: ended for passing its limit wallMs');
    });

    describe('whose network', () => {
      const connect = (port: number) => `exec 3<>/dev/tcp/127.0.0.1/${port} && head -1 <&3`;
      let port = 0;
      const server = createServer((socket) => socket.on('error', () => {}).end('hello\n'));
      beforeAll(async () => {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        port = (server.address() as { port: number }).port;
      });
      afterAll(() => new Promise((resolve) => server.close(resolve)));

      it('is none has only its own loopback', async () => {
        const { stdout, exit } = await host.run(launch(`cut -d: -f1 /proc/net/dev | tail -n +3; ${connect(port)}`));
        expect(stdout.trim()).toBe('lo');
        expect(exit.code).not.toBe(0);
      });

      it('is full reaches what the server reaches', async () => {
        expect((await host.run(launch(connect(port), { network: 'full' }))).stdout).toBe('hello\n');
      });

      it('is a list reaches what is in it, and each decision is told', async () => {
        const network = { allow: [`127.0.0.1:${port}`] };
        const { stdout, decisions, enforcement } = await host.run(
          launch(`${connect(port)}; env | grep -c -i _proxy; env | grep NODE_CHANNEL; ls /proc/$$/fd | wc -l`, {
            network,
          }),
        );
        expect(stdout.split('\n')[0]).toBe('hello');
        expect(Number(stdout.split('\n')[1])).toBeGreaterThan(7);
        expect(stdout).not.toContain('NODE_CHANNEL');
        expect(decisions).toMatchObject([{ host: '127.0.0.1', decision: 'allowed' }]);
        expect(enforcement.network).toBe('enforced');
        const other = await host.run(launch(connect(port), { network: { allow: ['example.org'] } }));
        expect(other.stdout).toBe('');
      });
    });

    describe('is not started, and the reason says the next step, when', () => {
      it.each<[string, () => Parameters<TestHost['ask']>[0], string, RegExp]>([
        [
          'its command is not shown inside',
          () => ({ ...launch(''), command: join(host.base, 'tools/agent') }),
          'not-visible',
          /sandbox\.readOnly/,
        ],
        [
          'its interpreter is not shown inside',
          () => ({ ...launch(''), command: './lost' }),
          'not-visible',
          /interpreter/,
        ],
        ['its directory is not shown inside', () => ({ ...launch(''), cwd: host.base }), 'bad-cwd', /within the roots/],
        ['its environment has a NUL', () => ({ ...launch(''), env: { A: 'x\0--bind\0/\0/' } }), 'refused', /NUL/],
        ['its argument has a NUL', () => ({ ...launch(''), args: ['a\0b'] }), 'refused', /NUL/],
        [
          'its state directory is gone',
          () => launch('', { state: [{ path: '/home/agent/s', directory: join(host.base, 'gone') }] }),
          'refused',
          /create it/,
        ],
        [
          'a file of it would be made in a root',
          () => launch('', { files: [{ path: join(host.base, 'project/new'), text: '' }] }),
          'refused',
          /outside of the roots/,
        ],
        ['an allowed host is malformed', () => launch('', { network: { allow: ['http://x/'] } }), 'refused', /./],
      ])('%s', async (_when, wrong, reason, message) => {
        expect(await host.ask(wrong())).toMatchObject({
          kind: 'failed',
          reason,
          message: expect.stringMatching(message),
        });
      });
    });

    it('runs a command of a root, and of a directory that is shown read-only', async () => {
      const own = await host.run({ ...launch(''), command: './agent', args: ['a  b', '$HOME'] });
      expect(own.stdout).toBe('a  b $HOME\n');
      const tools = join(host.base, 'tools');
      const shown = { ...bareProfile({ roots: roots() }), readOnly: [tools, '/no/such/place'] };
      const tool = await host.run({ ...launch(''), command: join(tools, 'agent'), args: [], profile: shown });
      expect(tool.stdout).toBe('tool\n');
    });

    it('runs a program through a symlink, with what it lies beside', async () => {
      host.write({
        'package-1.2/bin/agent': '#!/bin/sh\nreadlink -f "$0"; cat "$(dirname "$(readlink -f "$0")")/data"\n',
      });
      host.write({ 'package-1.2/bin/data': 'beside\n' });
      const link = join(host.base, 'package');
      symlinkSync('package-1.2', link);
      const profile = bareProfile({ roots: roots(), readOnly: [link] });
      const { stdout } = await host.run({ ...launch(''), command: join(link, 'bin/agent'), args: [], profile });
      expect(stdout.endsWith('beside\n')).toBe(true);
    });

    it('says what a sandbox of its own inside costs', async () => {
      const { enforcement } = await host.run(launch('true', { nestedSandbox: true }));
      expect(enforcement.fs).toBe('partial');
      expect(enforcement.gaps.join()).toMatch(
        /files: in a sandbox of its own.*sandbox: the process may build namespaces/,
      );
    });

    it('reaches a socket that is shown to it', async () => {
      const path = join(host.base, 'service.sock');
      const server = createServer((socket) => socket.on('error', () => {}).end('hello\n'));
      await new Promise<void>((resolve) => server.listen({ path, writableAll: true, readableAll: true }, resolve));
      try {
        const client = `require("net").connect("/run/service.sock").pipe(process.stdout)`;
        const { stdout } = await host.run({
          ...launch('', { sockets: [{ path: '/run/service.sock', socket: path }], readOnly: [process.execPath] }),
          command: process.execPath,
          args: ['-e', client],
        });
        expect(stdout).toBe('hello\n');
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    });
  },
);
