import type { ProcessHolder } from '@reeve/sandbox';
import { withoutSecrets } from './npm-environment.ts';

export interface NpmOptions {
  readonly holder: ProcessHolder;
  /** The whole environment of npm (npm-environment.ts). */
  readonly env: Readonly<Record<string, string>>;
}

export type NpmRun =
  | { readonly kind: 'done'; readonly stdout: string }
  | {
      readonly kind: 'failed';
      /** npm's own code, such as `E404` or `ECONNREFUSED`; `ABORTED` when `signal` did, `NO_NPM` when there is none. */
      readonly code: string;
      /** npm's last words, without secrets. */
      readonly message: string;
    };

const MAX_STDOUT_BYTES = 16 * 1024 * 1024;
const STOP = { graceMs: 0, killAfterMs: 1000 };
/** npm's own pauses between tries are a minute: too long for someone who waits. */
const ALWAYS = [
  '--loglevel=error',
  '--no-update-notifier',
  '--no-progress',
  '--no-color',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-factor=3',
  '--fetch-retry-maxtimeout=5000',
];

/** Runs `npm` in `cwd` to its end; its process and what it started are gone when this settles. Never rejects for what npm does. */
export async function runNpm(
  { holder, env }: NpmOptions,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<NpmRun> {
  if (signal.aborted) return { kind: 'failed', code: 'ABORTED', message: 'npm was not started any more' };
  const started = await holder.start({ command: 'npm', args: [...args, ...ALWAYS], env, cwd });
  if (started.kind === 'failed') {
    return { kind: 'failed', code: 'NO_NPM', message: `npm could not be started: ${started.message}` };
  }
  const { process } = started;
  const stop = (): void => void process.stop(STOP);
  signal.addEventListener('abort', stop, { once: true });
  try {
    process.stdin.end();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > MAX_STDOUT_BYTES)
        return { kind: 'failed', code: 'TOO_LONG', message: 'npm printed more than an answer' };
      chunks.push(chunk);
    }
    const { code } = await process.exited;
    const stdout = Buffer.concat(chunks).toString('utf8');
    if (signal.aborted) return { kind: 'failed', code: 'ABORTED', message: 'npm was ended before it was done' };
    if (code === 0) return { kind: 'done', stdout };
    return { kind: 'failed', ...lastWords(stdout, process.stderrTail(), env) };
  } finally {
    signal.removeEventListener('abort', stop);
    await process.stop(STOP);
  }
}

function lastWords(stdout: string, stderr: string, env: Readonly<Record<string, string>>) {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('npm ') && !line.startsWith('A complete log of this run'));
  const said = lines.find((line) => /^code \S+$/.test(line))?.slice('code '.length);
  const words = lines.filter((line) => !/^(code|errno|syscall|path) /.test(line));
  const reported = reportedError(stdout);
  const message = words.length > 0 ? words.slice(-4).join(' ') : (reported?.summary ?? 'npm said nothing');
  return { code: said ?? reported?.code ?? 'UNKNOWN', message: withoutSecrets(message, env).slice(0, 1000) };
}

/** With `--json` npm tells of its failure on stdout. */
function reportedError(stdout: string): { readonly code?: string; readonly summary?: string } | undefined {
  try {
    return (JSON.parse(stdout) as { error?: { code?: string; summary?: string } }).error;
  } catch {
    return undefined;
  }
}
