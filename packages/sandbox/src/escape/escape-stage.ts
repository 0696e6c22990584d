import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Where a process of the host was reached by one that should not reach it. */
export type ReachedPlace = 'unix' | 'abstract' | 'tcp' | 'udp';

/**
 * A small host for one attempt: directories to be granted, and around them what must stay out of reach. Everything is
 * made for the attempt and gone with it.
 */
export interface EscapeStage extends AsyncDisposable {
  /** The directory that all others lie in; it holds a file that is named for the secret. */
  readonly base: string;
  /** Granted read-write, a repository with hooks, configuration and settings of an agent. */
  readonly project: string;
  /** Granted read-only, with a file `text`. */
  readonly library: string;
  /** Not granted: beside the project, and with a name that begins with the project's. Each holds `secret`. */
  readonly sibling: string;
  readonly lookalike: string;
  /** What may not be seen: it stands in files outside, in names and in the environment of the victim. */
  readonly secret: string;
  /** A process of the host's user, outside. */
  readonly victim: number;
  victimLives(): boolean;
  readonly unixSocket: string;
  /** Without the leading NUL. */
  readonly abstractSocket: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  /** Of System V shared memory that everyone may read; undefined unless asked for, and where ipcmk is missing. */
  readonly sharedMemory: number | undefined;
  readonly reached: ReadonlySet<ReachedPlace>;
}

export interface EscapeStageOptions {
  readonly sharedMemory?: boolean;
}

export async function openEscapeStage(options: EscapeStageOptions = {}): Promise<EscapeStage> {
  await using opened = new AsyncDisposableStack();
  const secret = `canary-${randomUUID()}`;
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-escape-')));
  opened.defer(() => rmSync(base, { recursive: true, force: true }));
  const place = (name: string) => join(base, name);
  const [project, library, sibling, lookalike] = ['project', 'library', 'sibling', 'project-other'].map(place) as [
    string,
    string,
    string,
    string,
  ];
  const write = (path: string, text: string) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  };
  for (const directory of [sibling, lookalike]) write(join(directory, 'secret'), secret);
  write(place(secret), '');
  write(join(library, 'text'), 'text');
  write(join(project, 'notes'), 'notes');
  for (const path of ['.git/hooks/pre-commit', '.git/config', '.claude/settings.json'])
    write(join(project, path), 'kept');

  const held = openSync(join(sibling, 'secret'), 'r');
  opened.defer(() => closeSync(held));

  const victim = spawn('sleep', ['60'], {
    env: { PATH: '/usr/bin:/bin', SECRET: secret },
    cwd: sibling,
    stdio: 'ignore',
  });
  await once(victim, 'spawn');
  opened.defer(() => end(victim));

  const reached = new Set<ReachedPlace>();
  const unixSocket = place('socket');
  const abstractSocket = secret;
  await listen(opened, reached, 'unix', (server) => server.listen(unixSocket));
  await listen(opened, reached, 'abstract', (server) => server.listen(`\0${abstractSocket}`));
  const tcp = await listen(opened, reached, 'tcp', (server) => server.listen(0, '127.0.0.1'));
  const udp = createSocket('udp4', () => reached.add('udp')).bind(0, '127.0.0.1');
  await once(udp, 'listening');
  opened.defer(() => void udp.close());

  const sharedMemory = options.sharedMemory ? makeSharedMemory() : undefined;
  if (sharedMemory !== undefined) opened.defer(() => void execFileSync('ipcrm', ['-m', `${sharedMemory}`]));

  const parts = opened.move();
  return {
    ...{ base, project, library, sibling, lookalike, secret, unixSocket, abstractSocket, sharedMemory, reached },
    victim: victim.pid ?? 0,
    victimLives: () => victim.exitCode === null && victim.signalCode === null,
    tcpPort: (tcp.address() as { readonly port: number }).port,
    udpPort: udp.address().port,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function listen(
  opened: AsyncDisposableStack,
  reached: Set<ReachedPlace>,
  place: ReachedPlace,
  start: (server: Server) => void,
): Promise<Server> {
  const server = createServer((socket) => {
    reached.add(place);
    socket.on('error', () => {}).destroy();
  });
  start(server);
  await once(server, 'listening');
  opened.defer(() => void server.close());
  return server;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await Promise.race([exited, delay(1_000)]);
}

function makeSharedMemory(): number | undefined {
  try {
    const said = execFileSync('ipcmk', ['-M', '4096', '-p', '0666'], { encoding: 'utf8', stdio: 'pipe' });
    const id = Number(/(\d+)\s*$/.exec(said)?.[1]);
    return Number.isInteger(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
