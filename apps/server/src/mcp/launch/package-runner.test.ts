import { describe, expect, it } from 'vitest';
import { packageRunner } from './package-runner.ts';

const npm = (spec: string, args: readonly string[], bin?: string) => ({ kind: 'npm', spec, bin, args });

describe('a command that fetches its program', () => {
  it.each([
    [['npx', '-y', '@scope/server@1.2.3', '/data'], npm('@scope/server@1.2.3', ['/data'])],
    [['/usr/bin/npx', 'server', '-y'], npm('server', ['-y'])],
    [['npx', '--yes', '--', 'server', '--flag'], npm('server', ['--flag'])],
    [['npx', '-y', '--package=@scope/server', 'bin', 'a'], npm('@scope/server', ['a'], 'bin')],
    [['npx', '-p', 'pkg@2', 'bin'], npm('pkg@2', [], 'bin')],
    [['npm', 'exec', '--yes', 'pkg', '--', '-x'], npm('pkg', ['-x'])],
    [['npm', 'x', 'pkg'], npm('pkg', [])],
    [['bunx', 'pkg'], npm('pkg', [])],
    [['pnpm', 'dlx', 'pkg', 'a'], npm('pkg', ['a'])],
    [['npx.cmd', 'pkg'], npm('pkg', [])],
  ])('of npm is known by its package: %j', ([command = '', ...args], expected) => {
    expect(packageRunner(command, args)).toEqual(expected);
  });

  it.each([[['npx']], [['npx', '-c', 'echo']], [['npx', '-p', 'a', '-p', 'b', 'bin']], [['npx', '-p', 'a']]])(
    'of npm is unclear, and not guessed at: %j',
    ([command = '', ...args]) => {
      expect(packageRunner(command, args)?.kind).toBe('unclear');
    },
  );

  it.each([
    [['uvx', 'mcp-server-git'], 'python'],
    [['uv', 'tool', 'run', 'x'], 'python'],
    [['pipx', 'run', 'x'], 'python'],
    [['docker', 'run', '-i', 'image'], 'engine'],
    [['podman', 'run', 'image'], 'engine'],
  ] as const)('of others is told: %j', ([command, ...args], kind) => {
    expect(packageRunner(command, args)?.kind).toBe(kind);
  });

  it.each([
    [['uvx', 'mcp-server-git==1.2', '--repo', '.'], 'mcp-server-git==1.2'],
    [['uvx', '-q', '--python', '3.12', '--with=x', 'files'], 'files'],
    [['uvx', '--from', 'git+https://host/x', 'serve'], 'git+https://host/x'],
    [['uvx', '--from=files[all]', 'serve'], 'files[all]'],
    [['pipx', 'run', '--spec', 'files>=1', 'serve'], 'files>=1'],
    [['pipx', 'install', 'files'], undefined],
    [['uv', 'tool', 'run', 'files'], 'files'],
    [['uv', 'x', 'files'], 'files'],
    [['uvx', '--offline'], undefined],
  ] as const)('of Python is known by what it names: %j', ([command, ...args], spec) => {
    expect(packageRunner(command, args)).toMatchObject({ kind: 'python', spec });
  });

  it.each([[['node', 'server.js']], [['npm', 'start']], [['uv', 'run', 'x.py']], [['/opt/server']]])(
    'is not %j',
    ([command = '', ...args]) => {
      expect(packageRunner(command, args)).toBeUndefined();
    },
  );
});
