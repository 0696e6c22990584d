import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareProfile } from '../bare-profile.ts';
import { seatbeltPlan } from './seatbelt-profile.ts';

export type SeatbeltProbe = { readonly kind: 'usable' } | { readonly kind: 'unusable'; readonly reason: string };

const deadlineMs = 3_000;

/** Runs a shell in a profile of its own, which reads a file of its root and fails to read one outside. At most 3 s. */
export async function probeSeatbelt(): Promise<SeatbeltProbe> {
  if (process.platform !== 'darwin') return { kind: 'unusable', reason: 'seatbelt needs macOS' };
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-probe-')));
  try {
    const root = join(base, 'root');
    mkdirSync(root);
    writeFileSync(join(root, 'inside'), 'inside');
    writeFileSync(join(base, 'canary'), 'canary');
    const plan = seatbeltPlan(bareProfile({ roots: [{ path: root, access: 'ro' }], home: { path: root } }), []);
    if (plan.kind === 'failed') return { kind: 'unusable', reason: plan.message };
    const [command = '', ...args] = plan.prefix;
    const said = await output(command, [...args, '/bin/sh', '-c', 'cat inside ../canary'], root);
    if (said === 'inside') return { kind: 'usable' };
    return { kind: 'unusable', reason: 'sandbox-exec did not hold a program in its profile' };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function output(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: deadlineMs, env: {}, cwd }, (_error, stdout) => resolve(stdout));
  });
}
