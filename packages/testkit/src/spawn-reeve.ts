import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildEnd, childEnd, stopChild } from './child-end.ts';
import { fakeAgentCommand } from './fake-agent-command.ts';
import { splitLines } from './split-lines.ts';

export interface StartReeveOptions {
  /**
   * The configuration file's content; the fake agent as `fake`, the default agent, when absent. Agents run unconfined, and say so,
   * unless it has a `sandbox` of its own.
   */
  readonly config?: object;
  /** A new directory, removed at disposal, when absent. */
  readonly dataDir?: string;
  /** Further arguments of `reeve serve`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How long it may take to say where it listens; 60 000 by default. */
  readonly startTimeoutMs?: number;
}

/** A Reeve server in a process of its own, started through its CLI. Disposing stops it and removes what was created. */
export interface SpawnedReeve extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly ended: Promise<ChildEnd>;
  stderr(): string;
  /** Resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /**
   * A new process with the same data and configuration, after this one is stopped. The result takes over what was
   * created: dispose of either, or of both.
   */
  restart(): Promise<SpawnedReeve>;
}

/** The fake agent's own files lie in no root, and most tests are not about what confines it. */
const UNCONFINED = { sandbox: { backend: 'none', require: 'declared' } };

/** One for all tests, whatever home they give: else each would have everything compiled anew. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

const cli = fileURLToPath(new URL('../../../apps/cli/bin/reeve.js', import.meta.url));

/** Starts `reeve serve` on a free port. Rejects, with its stderr, when it ends or is silent for too long. */
export async function startReeve(options: StartReeveOptions = {}): Promise<SpawnedReeve> {
  const home = await mkdtemp(join(tmpdir(), 'reeve-test-'));
  const config = {
    ...UNCONFINED,
    ...(options.config ?? { agents: { fake: fakeAgentCommand() }, defaultAgent: 'fake' }),
  };
  const configFile = join(home, 'reeve.json');
  await writeFile(configFile, JSON.stringify(config, null, 2));
  try {
    return await launch({ options, home, configFile, dataDir: options.dataDir ?? join(home, 'data') });
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

interface Launch {
  readonly options: StartReeveOptions;
  /** Holds the configuration, and the data when nobody else gave a directory for it. */
  readonly home: string;
  readonly configFile: string;
  readonly dataDir: string;
}

async function launch(how: Launch): Promise<SpawnedReeve> {
  const { options, home, configFile, dataDir } = how;
  const own = ['serve', '--port', '0', '--json', '--config', configFile, '--data', dataDir];
  const child = spawn(process.execPath, [cli, ...own, ...(options.args ?? [])], {
    env: { NODE_COMPILE_CACHE, ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = childEnd(child);
  ended.catch(() => undefined);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const firstLine = Promise.withResolvers<string>();
  child.stdout.on(
    'data',
    splitLines((line) => firstLine.resolve(line.toString('utf8'))),
  );
  const timeoutMs = options.startTimeoutMs ?? 60_000;
  const timer = setTimeout(() => firstLine.reject(new Error(`silent for ${timeoutMs} ms`)), timeoutMs);
  ended.then(
    ({ code, signal }) => firstLine.reject(new Error(`it ended with ${signal ?? `exit code ${code}`}`)),
    firstLine.reject,
  );

  let address: { url: string; token: string };
  try {
    address = parseAddress(await firstLine.promise);
  } catch (error) {
    await stopChild(child, ended, 0);
    throw new Error(`reeve serve did not start: ${(error as Error).message}\n${stderr}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }

  let successor: SpawnedReeve | undefined;
  return {
    ...address,
    dataDir,
    pid: child.pid ?? -1,
    ended,
    stderr: () => stderr,
    kill: async (signal) => {
      child.kill(signal);
      await ended;
    },
    restart: async () => {
      await stopChild(child, ended, 5_000);
      successor = await launch(how);
      return successor;
    },
    [Symbol.asyncDispose]: async () => {
      await stopChild(child, ended, 5_000);
      await successor?.[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function parseAddress(line: string): { url: string; token: string } {
  try {
    const { url, token } = JSON.parse(line) as { url?: unknown; token?: unknown };
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {
    // Told below, together with a line that is JSON of another shape.
  }
  throw new Error(`its first line is not {"url","token"}: ${line}`);
}
