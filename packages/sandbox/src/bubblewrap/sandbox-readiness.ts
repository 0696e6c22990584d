import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessExit } from '../exit-status.ts';
import { parentOf } from '../process-table.ts';

/** Process ids as seen outside. */
export type Readiness =
  /** The program runs, or has run and ended. */
  | { readonly kind: 'running'; readonly init: number; readonly leader: number }
  /** bubblewrap ended before it ran the program; stderr says why. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'late'; readonly init: number | undefined };

/** From the start of bubblewrap to that of the program: usually 10 ms. */
const deadlineMs = 10_000;

/**
 * Waits until the program has been executed.
 * @param status what `--json-status-fd` writes: the first process of the sandbox at its start, and at the end, only if
 * the program was executed, its exit code.
 * @param barrier the other end of `--block-fd`, which bubblewrap closes when everything is mounted.
 * @param stages command lines, as /proc shows them, of programs that come before the real one and become it.
 */
export async function untilExecuted(
  end: Promise<ProcessExit>,
  status: Socket,
  barrier: Socket,
  stages: readonly string[],
): Promise<Readiness> {
  let text = '';
  let ended = false;
  status.on('data', (chunk) => {
    text += String(chunk);
  });
  const statusClosed = once(status, 'close');
  void end.then(() => {
    ended = true;
  });
  const init = () => numberAfter(text, 'child-pid');
  const closed = once(barrier, 'close');
  barrier.resume();
  barrier.end(); // The end of its input lets bubblewrap go on at once.

  const deadline = performance.now() + deadlineMs;
  const late = new AbortController();
  await Promise.race([closed, delay(deadlineMs, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  for (let look = 0; performance.now() < deadline; look += 1) {
    if (ended) {
      await statusClosed;
      const first = init();
      if (first === undefined || numberAfter(text, 'exit-code') === undefined) return { kind: 'failed' };
      return { kind: 'running', init: first, leader: first };
    }
    const first = init();
    const leader = first === undefined ? undefined : executedChild(first, stages);
    if (first !== undefined && leader !== undefined) return { kind: 'running', init: first, leader };
    await delay(look < 20 ? 1 : 10);
  }
  return { kind: 'late', init: init() };
}

function numberAfter(text: string, name: string): number | undefined {
  const digits = new RegExp(`"${name}": (\\d+)`).exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The child of the sandbox's first process once it runs the program; at first it is a copy of its parent. */
function executedChild(init: number, stages: readonly string[]): number | undefined {
  const child = childOf(init);
  if (child === undefined) return undefined;
  const commandLine = read(`/proc/${child}/cmdline`);
  if (commandLine === undefined || commandLine === '' || stages.includes(commandLine)) return undefined;
  return commandLine === read(`/proc/${init}/cmdline`) ? undefined : child;
}

function childOf(parent: number): number | undefined {
  const children = read(`/proc/${parent}/task/${parent}/children`);
  if (children !== undefined) return Number(children.split(' ')[0]) || undefined;
  // A kernel without CONFIG_PROC_CHILDREN, or a parent that is gone.
  return readdirSync('/proc')
    .map(Number)
    .find((pid) => pid > 0 && parentOf(pid) === parent);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
