import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareProfile } from '../bare-profile.ts';
import type { Enforcement, Launch, ProcessExit, Profile, StartFailure } from '../index.ts';
import type { HostRequest } from './sandbox-host.rig.ts';

export interface TestUser {
  readonly name: string;
  /** Undefined: as the tests themselves run. */
  readonly uid: number | undefined;
}

const unprivileged = 65_534;
const program = new URL('./sandbox-host.rig.ts', import.meta.url).pathname;

/** Who the tests can run a holder as: themselves and, when they are root and its files can be read by others, nobody. */
export const testUsers: readonly TestUser[] = [
  { name: process.getuid?.() === 0 ? 'root' : 'an unprivileged user', uid: undefined },
  ...(canRunAs(unprivileged) ? [{ name: 'an unprivileged user', uid: unprivileged }] : []),
];

function canRunAs(uid: number): boolean {
  if (process.getuid?.() !== 0) return false;
  const script = `await import('node:fs').then((fs) => fs.accessSync(${JSON.stringify(program)}))`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { uid, gid: uid }).status === 0;
}

/** bubblewrap is there and may make user namespaces. */
export const bubblewrapWorks =
  process.platform === 'linux' &&
  spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', '--proc', '/proc', '--unshare-pid', 'true']).status ===
    0;

export interface Ended {
  readonly kind: 'ended';
  readonly pid: number;
  readonly enforcement: Enforcement;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ProcessExit;
  readonly made: readonly string[];
  readonly decisions: readonly { readonly host: string; readonly decision: string }[];
}

/** A holder in a process of its own, with a directory that belongs to its user. Disposing ends and removes both. */
export interface TestHost extends AsyncDisposable {
  readonly base: string;
  readonly child: ChildProcess;
  /** Writes files below `base` as its user; a path that ends with a slash is a directory. */
  write(files: Readonly<Record<string, string>>): void;
  ask(launch: Launch, then?: HostRequest['then'], input?: string): Promise<Ended | StartFailure>;
  /** The same, where a start must not fail. */
  run(launch: Launch, then?: HostRequest['then'], input?: string): Promise<Ended>;
}

export function openHost({ uid }: TestUser): TestHost {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-sandbox-')));
  chmodSync(base, 0o755);
  const own = (path: string) => uid !== undefined && chownSync(path, uid, uid);
  own(base);
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { SECRET_OF_THE_SERVER: 'x', PATH: '/usr/bin:/bin' },
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const make = (path: string) => {
    if (path === base) return;
    make(dirname(path));
    mkdirSync(path, { recursive: true });
    own(path);
  };
  const host: TestHost = {
    base,
    child,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        const path = join(base, name);
        make(name.endsWith('/') ? path.slice(0, -1) : dirname(path));
        if (name.endsWith('/')) continue;
        writeFileSync(path, content, { mode: content.startsWith('#!') ? 0o755 : 0o644 });
        own(path);
      }
    },
    async ask(launch, then = 'end', input = '') {
      child.stdin.write(`${JSON.stringify({ launch, then, input } satisfies HostRequest)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the host has ended');
      return JSON.parse(value) as Ended | StartFailure;
    },
    async run(...request) {
      const answer = await host.ask(...request);
      if (answer.kind === 'failed') throw new Error(`${answer.reason}: ${answer.message}`);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.stdin.end();
        await once(child, 'exit');
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
  return host;
}

/** A shell script in the first root of `parts`. */
export function script(text: string, parts: Partial<Profile>): Launch {
  const profile = bareProfile(parts);
  const cwd = profile.roots[0]?.path ?? profile.home.path;
  return { command: '/bin/bash', args: ['--norc', '-c', text], env: { PATH: '/usr/bin:/bin' }, cwd, profile };
}

/** Processes of the machine with `words` in their command line. */
export function processesWith(words: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
        return read('cmdline').replaceAll('\0', ' ').includes(words) && !/\) [ZX] /.test(read('stat'));
      } catch {
        return false;
      }
    });
}
