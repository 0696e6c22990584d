import type { ChildProcess } from 'node:child_process';

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How the process ended, once it has; rejects when it could not be started. */
export function childEnd(child: ChildProcess): Promise<ChildEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildEnd>();
  child.once('exit', (code, signal) => resolve({ code, signal }));
  child.once('error', reject);
  return promise;
}

/** Sends SIGTERM, and SIGKILL when the process is still there after `graceMs`. Resolves when it is gone. */
export async function stopChild(child: ChildProcess, ended: Promise<ChildEnd>, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended.catch(() => undefined);
  clearTimeout(timer);
}
