import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { guardScript } from './guard-script.ts';
import type { HolderNotice } from './holder-notice.ts';

/**
 * A small shell process that outlives the server by a moment, to kill what the server held (guard-script.ts).
 * It is started with the first registration, and started again, with the current list, when it dies.
 */
export interface ProcessGuard extends AsyncDisposable {
  /** Holds a tree before its leader exists. Once it resolves, the marker is where no kill of the server can lose it. */
  register(marker: string): Promise<GuardAnswer>;
  /** Adds the process group, once it is known. */
  addGroup(marker: string, group: number): void;
  /** The tree is gone: its group id may from now on belong to others. */
  release(marker: string): void;
}

export type GuardAnswer =
  | { readonly kind: 'registered' }
  /** `message` names the next step. The marker is not held. */
  | { readonly kind: 'unguarded'; readonly message: string };

interface RunningGuard {
  readonly child: ChildProcess;
  readonly input: Writable;
}

/** A guard that dies more often than this within the window is not started again until the next registration. */
const maxRestarts = 5;
const restartWindowMs = 10_000;
/** A guard that does not take a line for this long is stopped or stuck, and is replaced. */
const writeDeadlineMs = 1_000;

/** @param stdio descriptors beyond the first three (inherited-descriptors.ts). */
export function createProcessGuard(onNotice: (notice: HolderNotice) => void, stdio: readonly (number | 'ignore')[]) {
  const groups = new Map<string, number>();
  let running: RunningGuard | undefined;
  let restarts: number[] = [];
  let closed = false;

  const line = (marker: string, group: number) => `+ ${marker} ${group}\n`;

  function launch(): RunningGuard | string {
    let child: ChildProcess;
    try {
      child = spawn('/bin/sh', ['-c', guardScript, 'reeve-guard'], {
        cwd: '/',
        // No marker: it must not be found as part of a tree, and if this server runs inside another's, not be killed with it.
        env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
        stdio: ['pipe', 'ignore', 'ignore', ...stdio],
        detached: true,
      });
    } catch (error) {
      return String(error);
    }
    child.on('error', () => {}); // A failed start shows in `pid`; a failed kill needs no answer.
    const input = child.stdin;
    if (child.pid === undefined || input === null) return '/bin/sh could not be started';
    input.on('error', () => {}); // Each write learns of it through its callback.
    const guard: RunningGuard = { child, input };
    child.once('exit', (code, signal) => onExit(guard, code, signal));
    child.unref();
    (input as Socket).unref();
    running = guard;
    input.write([...groups].map(([marker, group]) => line(marker, group)).join(''));
    return guard;
  }

  function onExit(guard: RunningGuard, code: number | null, signal: string | null): void {
    if (running === guard) running = undefined;
    if (closed || groups.size === 0) return;
    const now = performance.now();
    restarts = [...restarts.filter((at) => now - at < restartWindowMs), now];
    const failure = restarts.length > maxRestarts ? `it died ${restarts.length} times in a row` : launch();
    if (typeof failure === 'string') onNotice({ kind: 'guard-lost', message: unguardedMessage(failure) });
    else onNotice({ kind: 'guard-restarted', code, signal });
  }

  function write(guard: RunningGuard, text: string): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, writeDeadlineMs, false);
      guard.input.write(text, (error) => {
        clearTimeout(timer);
        resolve(error === null || error === undefined);
      });
    });
  }

  async function replace(guard: RunningGuard): Promise<void> {
    if (guard.child.exitCode !== null || guard.child.signalCode !== null) return;
    const exited = once(guard.child, 'exit');
    guard.child.kill('SIGKILL');
    await exited;
  }

  const guard: ProcessGuard = {
    async register(marker) {
      groups.set(marker, 0);
      let failure = 'it died at once, again and again';
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const current = running ?? launch();
        if (typeof current === 'string') {
          failure = current;
          break;
        }
        if (await write(current, line(marker, 0))) return { kind: 'registered' };
        await replace(current);
      }
      groups.delete(marker);
      return { kind: 'unguarded', message: unguardedMessage(failure) };
    },
    addGroup(marker, group) {
      groups.set(marker, group);
      running?.input.write(line(marker, group));
    },
    release(marker) {
      groups.delete(marker);
      running?.input.write(`- ${marker}\n`);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      const last = running;
      if (last === undefined) return;
      const exited = once(last.child, 'exit');
      last.child.ref();
      last.input.end();
      const late = new AbortController();
      await Promise.race([exited, delay(3_000, undefined, { signal: late.signal }).catch(() => {})]);
      late.abort();
      if (running === last) last.child.kill('SIGKILL');
    },
  };
  return guard;
}

function unguardedMessage(cause: string): string {
  return `The guard that ends child processes when the server is killed does not run: ${cause}. Make sure that /bin/sh and grep exist and that the limit on processes is not reached, then try again.`;
}
