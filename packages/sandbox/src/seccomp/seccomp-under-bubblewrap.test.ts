import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { seccompArchitecture, seccompFilter } from './seccomp-filter.ts';

const arch = seccompArchitecture();
const runs = arch !== undefined && spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

const home = mkdtempSync(join(tmpdir(), 'reeve-seccomp-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

interface Ran {
  readonly status: number | null;
  readonly signal: string | null;
  readonly output: string;
}

/** Everything of the host, and all capabilities: so that what is refused is refused by the filter alone. */
function run(command: readonly string[], { nestedSandbox = false, filtered = true } = {}): Ran {
  if (arch === undefined) throw new Error('no filter for this architecture');
  const file = join(home, 'filter');
  writeFileSync(file, seccompFilter({ arch, nestedSandbox }));
  const descriptor = openSync(file, 'r');
  try {
    const { status, signal, stdout, stderr } = spawnSync(
      'bwrap',
      [
        ...['--unshare-user', '--unshare-pid', '--uid', '0', '--gid', '0', '--cap-add', 'ALL', '--die-with-parent'],
        ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', home, home, '--chdir', home],
        ...(filtered ? ['--seccomp', '3'] : []),
        '--',
        ...command,
      ],
      {
        env: { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`, HOME: home },
        stdio: ['ignore', 'pipe', 'pipe', descriptor],
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    return { status, signal, output: `${stdout}${stderr}` };
  } finally {
    closeSync(descriptor);
  }
}

const sh = (script: string): readonly string[] => ['sh', '-c', script];
const node = (script: string): readonly string[] => [process.execPath, '-e', script];
const present = (tool: string): boolean => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;

const refused: readonly (readonly [what: string, tool: string, command: readonly string[]])[] = [
  ['a mount', 'mount', sh('mount -t tmpfs none /tmp')],
  ['an unmount', 'umount', sh('umount -l /dev')],
  ['a user namespace', 'unshare', sh('unshare -U true')],
  ['a mount namespace', 'unshare', sh('unshare -m true')],
  ['the namespace of another', 'nsenter', sh('nsenter -t 1 -p true')],
  ['a new root', 'chroot', sh('chroot / true')],
  ['a host name', 'hostname', sh('unshare -u hostname other')],
  ['another personality', 'setarch', sh('setarch -R true')],
  ['a program that runs as its owner', 'chmod', sh('cp /bin/true own && chmod 4755 own')],
  [
    'the same from birth',
    'node',
    node(
      `require('fs').openSync('born', 'w', 0o4755); process.exit(require('fs').statSync('born').mode & 0o4000 ? 0 : 1)`,
    ),
  ],
];

describe.skipIf(!runs)('a process under the seccomp filter (needs bubblewrap and user namespaces)', () => {
  it.each(refused.filter(([, tool]) => tool === 'node' || present(tool)))(
    'is refused %s, which it has without',
    (_what, _tool, command) => {
      expect(run(command, { filtered: false })).toMatchObject({ status: 0 });
      const answer = run(command);
      expect(answer.status, answer.output).not.toBe(0);
      expect(answer.signal).toBeNull();
      rmSync(join(home, 'own'), { force: true });
      rmSync(join(home, 'born'), { force: true });
    },
  );

  it('may build a sandbox inside when that is asked for', () => {
    const command = sh('unshare -m true');
    expect(run(command, { nestedSandbox: true })).toMatchObject({ status: 0 });
  });

  it('can do the work of an agent: node with its threads, network list and children, bash, git, npm', () => {
    const script = `
      const { execFileSync } = require('child_process');
      const { Worker } = require('worker_threads');
      require('os').networkInterfaces();
      require('net').createServer().listen(0, '127.0.0.1', function () { this.close(); });
      require('fs').promises.readFile(process.execPath).then(() => {
        execFileSync('bash', ['-c', 'for i in 1 2 3; do (true) & done; wait; echo a | cat']);
        new Worker('process.exit(0)', { eval: true }).on('exit', () => console.log('done'));
      });`;
    expect(run(node(script))).toMatchObject({ status: 0, output: 'done\n' });
    const git = sh(`git init -q repo && cd repo && echo a > a && git add a \\
      && git -c user.name=a -c user.email=a@localhost commit -qm a && git worktree add -q ../tree && git log --oneline | wc -l`);
    expect(run(git)).toMatchObject({ status: 0, output: expect.stringContaining('1') });
    expect(run(sh('npm --version'))).toMatchObject({ status: 0 });
  });
});

const agents = join(import.meta.dirname, '../../../../e2e/agents/node_modules');
const programs: readonly (readonly [string, string])[] = [
  ['codex-acp', join(agents, '@zed-industries/codex-acp-linux-x64/bin/codex-acp')],
  ['claude', join(agents, '@anthropic-ai/claude-agent-sdk-linux-x64/claude')],
  ['opencode', join(agents, 'opencode-linux-x64/bin/opencode')],
];

describe.skipIf(!runs || arch !== 'x64')(
  'a real agent under the seccomp filter (needs e2e/agents installed, x64)',
  () => {
    it.each(programs.filter(([, path]) => existsSync(path) && statSync(path).isFile()))('starts: %s', (_name, path) => {
      const bare = run([path, '--help'], { filtered: false });
      expect(bare).toMatchObject({ status: 0, output: expect.stringContaining('sage') });
      expect(run([path, '--help'])).toMatchObject({ status: 0, output: bare.output });
    });
  },
);
