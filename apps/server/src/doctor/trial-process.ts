import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EgressDecision, Enforcement, ProcessHolder, Profile } from '@reeve/sandbox';
import type { Finding } from './doctor-report.ts';

export interface TrialOptions {
  readonly holder: ProcessHolder;
  /** Whether a boundary can be enforced here, and whether its network can be a list of hosts. */
  readonly usable: boolean;
  readonly allowLists: boolean;
  readonly signal: AbortSignal;
}

export interface Trial {
  /** What held the process; null where none could be started. */
  readonly enforcement: Enforcement | null;
  readonly network: Finding;
}

const MiB = 1024 * 1024;
const limits = { memoryBytes: 1024 * MiB, processes: 64, fileBytes: 256 * MiB, openFiles: 1024, wallMs: 10_000 };

/**
 * Runs a process in a boundary like that of an agent. With a list of hosts it calls a service of the host that is on the
 * list, and asks for one that is not: that the first was reached and the second was not is seen outside.
 */
export async function tryProcess({ holder, usable, allowLists, signal }: TrialOptions): Promise<Trial> {
  await using opened = new AsyncDisposableStack();
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-doctor-')));
  opened.defer(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'root');
  mkdirSync(root);
  const listed = await listen(opened);
  const unlisted = await listen(opened);
  const lists = usable && allowLists;
  const profile: Profile = {
    roots: [{ path: root, access: 'rw' }],
    readOnly: [process.execPath],
    home: { path: '/home/agent' },
    state: [],
    files: [],
    sockets: [],
    network: lists ? { allow: [`127.0.0.1:${listed.port}`] } : 'none',
    limits,
  };
  const decisions: EgressDecision[] = [];
  const started = await holder.start(
    {
      command: lists ? process.execPath : '/bin/sh',
      args: lists ? ['-e', networkScript(listed.port, unlisted.port)] : ['-c', 'true'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      cwd: root,
      profile,
      require: usable ? 'enforced' : 'declared',
    },
    { onEgress: (decision) => void decisions.push(decision) },
  );
  if (started.kind === 'failed') {
    return { enforcement: null, network: { id: 'network', state: 'wrong', detail: started.message } };
  }
  await using child = started.process;
  child.stdin.end();
  child.stdout.resume();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => stop(), { once: true });
  if (signal.aborted) stop();
  await Promise.race([child.exited, stopped]);
  const { enforcement } = child;
  if (!lists) return { enforcement, network: withoutLists(usable) };
  if (signal.aborted && !unlisted.reached()) {
    return {
      enforcement,
      network: { id: 'network', state: 'skipped', detail: 'there was no time to try a list of hosts' },
    };
  }
  const refused = decisions.some(({ decision, port }) => decision === 'denied' && port === unlisted.port);
  return { enforcement, network: judge(listed.reached(), refused && !unlisted.reached(), unlisted.reached()) };
}

function judge(reached: boolean, refused: boolean, escaped: boolean): Finding {
  if (escaped) {
    return {
      id: 'network',
      state: 'wrong',
      detail: 'a host that is not on the list was reached',
      next: 'Do not rely on lists of hosts here, and report this with the output of "reeve doctor --json".',
    };
  }
  if (reached && refused) {
    return { id: 'network', state: 'ok', detail: 'a list of hosts holds: a listed host was reached, another refused' };
  }
  return {
    id: 'network',
    state: 'weak',
    detail: `a list of hosts lets nothing through: ${reached ? 'the proxy did not answer' : 'a listed host was not reached'}`,
    next: 'Use the network rule "none" or "full", and report this with the output of "reeve doctor --json".',
  };
}

function withoutLists(usable: boolean): Finding {
  if (!usable) return { id: 'network', state: 'skipped', detail: 'not tried: no boundary can be enforced here' };
  return {
    id: 'network',
    state: 'weak',
    detail: `lists of hosts cannot be held on ${process.platform} ${process.arch}`,
    next: 'Use the network rule "none" or "full".',
  };
}

function networkScript(listed: number, unlisted: number): string {
  return `const { connect } = require('node:net');
    const { env } = process;
    const proxy = new URL(env.HTTP_PROXY);
    const ask = (port, text) => new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(text)).resume();
      for (const event of ['close', 'error']) socket.on(event, done);
    });
    const asked = 'CONNECT 127.0.0.1:${unlisted} HTTP/1.1\\r\\nHost: 127.0.0.1:${unlisted}\\r\\n\\r\\n';
    ask(${listed}, 'x').then(() => ask(Number(proxy.port), asked)).then(() => ask(${unlisted}, 'x')).then(() => process.exit());`;
}

interface Service {
  readonly port: number;
  reached(): boolean;
}

async function listen(opened: AsyncDisposableStack): Promise<Service> {
  let reached = false;
  const server: Server = createServer((socket) => {
    reached = true;
    socket.on('error', () => {}).destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => void server.close());
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, reached: () => reached };
}
