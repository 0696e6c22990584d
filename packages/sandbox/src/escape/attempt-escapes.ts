import { accessSync, constants } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { bareProfile } from '../bare-profile.ts';
import type { Launch } from '../launch.ts';
import type { ProcessHolder } from '../process-holder.ts';
import type { Profile } from '../profile.ts';
import type { EscapeAttempt } from './escape-attempt.ts';
import { type EscapeStage, openEscapeStage } from './escape-stage.ts';
import { fileEscapes } from './file-escapes.ts';
import { namespaceEscapes } from './namespace-escapes.ts';
import { networkEscapes } from './network-escapes.ts';
import { processEscapes } from './process-escapes.ts';

export interface EscapeVerdict {
  readonly id: string;
  readonly what: string;
  /** `not-applicable`: it could not be tried here, and `detail` says why. */
  readonly verdict: 'blocked' | 'escaped' | 'not-applicable';
  readonly detail: string;
}

export type EscapeProgram = Pick<Launch, 'command' | 'args' | 'env'>;

export interface EscapeOptions {
  /** False tries without a boundary, to show that the attempts can succeed. True unless given. */
  readonly confined?: boolean;
  /**
   * How a program of an attempt is started inside the two roots, which must be held; in a plain profile of these unless given.
   * `env` has the path of programs.
   */
  readonly launch?: (program: EscapeProgram, roots: Profile['roots']) => Launch | Promise<Launch>;
  /** Values of the server's environment that must not be seen inside. */
  readonly secrets?: readonly string[];
  /** Ends the attempts that are being made; what was found before is the answer. */
  readonly signal?: AbortSignal;
}

export const escapeAttempts: readonly EscapeAttempt[] = [
  ...fileEscapes,
  ...processEscapes,
  ...namespaceEscapes,
  ...networkEscapes,
];

const perl = '/usr/bin/perl';
const deadlineMs = 10_000;
const atOnce = 4;
/** What reached the host is in its sockets by then. */
const settleMs = 20;
const outputBytes = 1_000_000;
const startedLine = 'attempt-started';

/**
 * Tries to get out of a boundary like that of an agent: a read-write and a read-only root, no network. Each attempt is
 * made in a process of its own before canaries of its own, and judged from outside. Takes a few seconds. Rejects where
 * this machine lacks what all attempts need, such as a directory for temporary files.
 */
export async function attemptEscapes(
  holder: ProcessHolder,
  { confined = true, launch = plainLaunch, secrets = [], signal }: EscapeOptions = {},
): Promise<readonly EscapeVerdict[]> {
  const verdicts: EscapeVerdict[] = [];
  const waiting = escapeAttempts.entries();
  const work = async () => {
    for (const [at, attempt] of waiting) {
      if (signal?.aborted) return;
      const { id, what } = attempt;
      const outcome = await tryOut(holder, attempt, confined ? launch : undefined, secrets, signal);
      // One that was ended early cannot count as blocked.
      if (!signal?.aborted || outcome.verdict === 'escaped') verdicts[at] = { id, what, ...outcome };
    }
  };
  // All of them, so that what an attempt made is gone when another one could not be made.
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, work));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return verdicts.filter((verdict) => verdict !== undefined);
}

type Outcome = Pick<EscapeVerdict, 'verdict' | 'detail'>;

async function tryOut(
  holder: ProcessHolder,
  attempt: EscapeAttempt,
  launch: EscapeOptions['launch'],
  secrets: readonly string[],
  signal?: AbortSignal,
): Promise<Outcome> {
  if (attempt.onlyConfined && launch === undefined)
    return notApplicable('it would harm the machine without a boundary');
  if (attempt.language === 'perl' && !isExecutable(perl)) return notApplicable('perl is not installed');
  await using stage = await openEscapeStage(attempt.needs);
  const script = attempt.script(stage);
  if (script === undefined) return notApplicable('this machine lacks what it is about');

  const program = { ...commandOf(attempt, script), env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' } };
  const started = await holder.start(
    launch ? { ...(await launch(program, rootsOf(stage))), require: 'enforced' } : { ...program, cwd: stage.project },
  );
  if (started.kind === 'failed') return notApplicable(`nothing was started: ${started.message}`);
  await using process = started.process;
  process.stdin.end();
  let output = '';
  process.stdout.on('data', (chunk: Buffer) => {
    if (output.length < outputBytes) output += chunk.toString('latin1');
  });
  const over = new AbortController();
  const late = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
  await Promise.race([process.exited, delay(deadlineMs, undefined, { signal: late }).catch(() => {})]);
  over.abort();
  await process.stop({ graceMs: 0, killAfterMs: 0 });
  await delay(settleMs);

  const trace = attempt.trace?.(stage);
  if (trace !== undefined) return { verdict: 'escaped', detail: trace };
  if ([stage.secret, ...secrets].some((secret) => output.includes(secret)))
    return { verdict: 'escaped', detail: 'a secret was read' };
  const claim = /^ESCAPED.*$/m.exec(output)?.[0];
  if (claim !== undefined) return { verdict: 'escaped', detail: `it succeeded${claim.slice('ESCAPED'.length)}` };
  if (!output.includes(startedLine)) return notApplicable(`the attempt did not run: ${lastLine(process.stderrTail())}`);
  return { verdict: 'blocked', detail: lastLine(process.stderrTail()) };
}

function commandOf({ language }: EscapeAttempt, script: string): Pick<Launch, 'command' | 'args'> {
  switch (language) {
    case 'sh':
      return { command: '/bin/sh', args: ['-c', `echo ${startedLine}\n${script}`] };
    case 'perl':
      return { command: perl, args: ['-e', `$| = 1; print "${startedLine}\\n"; ${script}`] };
    case 'node':
      return { command: process.execPath, args: ['-e', `console.log('${startedLine}');\n${script}`] };
  }
}

function rootsOf({ project, library }: EscapeStage): Profile['roots'] {
  return [
    { path: project, access: 'rw' },
    { path: library, access: 'ro' },
  ];
}

function plainLaunch(program: EscapeProgram, roots: Profile['roots']): Launch {
  return {
    ...program,
    cwd: roots[0]?.path ?? '/',
    profile: bareProfile({ roots, readOnly: [process.execPath] }),
  };
}

function notApplicable(detail: string): Outcome {
  return { verdict: 'not-applicable', detail };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'it was answered with nothing';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
