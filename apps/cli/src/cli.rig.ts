import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartedCli extends AsyncDisposable {
  readonly done: Promise<CliRun>;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  write(text: string): void;
  end(): void;
  kill(signal: NodeJS.Signals): void;
}

/** One for all tests, whatever home they give: else each would have everything compiled anew. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'node-compile-cache');

const bin = fileURLToPath(new URL('../bin/reeve.js', import.meta.url));

export interface CliPlace {
  /** A command that runs another one, with its arguments. */
  readonly inside?: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts `reeve` with pipes, as a script would: nobody sits at it. */
export function startCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { inside = [], ...ids }: CliPlace = {},
): StartedCli {
  const [command = process.execPath, ...words] = [...inside, process.execPath, bin, ...args];
  const child = spawn(command, words, { ...ids, env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const done = new Promise<CliRun>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    done,
    pid: child.pid ?? -1,
    stdout: () => stdout,
    stderr: () => stderr,
    write: (text) => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await done;
    },
  };
}

/** Shorter than a test may take, so that a command that hangs is ended by the test that started it. */
const LONGEST_MS = 60_000;

/** Runs one command to its end; one that hangs is killed (`code` null). */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
  place: CliPlace = {},
): Promise<CliRun> {
  await using cli = startCli(args, env, place);
  const timer = setTimeout(() => cli.kill('SIGKILL'), LONGEST_MS);
  cli.write(input);
  cli.end();
  try {
    return await cli.done;
  } finally {
    clearTimeout(timer);
  }
}
