import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoundaryRoot } from '@reeve/protocol';
import type { CallVerdict, GatedCall, Screening } from '../call-gate.ts';
import { type FakeGuardOptions, fakeGuard } from './fake-guard.rig.ts';
import { createCallGates } from './server-call-gate.ts';

/** A place of each test file's own, with a root, what lies outside, and what only begins like the root; `file` is in each. */
export const base = realpathSync(mkdtempSync(join(tmpdir(), 'reeve-gate-')));
export const root = join(base, 'root');
export const outside = join(base, 'outside');
export const lookalike = join(base, 'root-evil');
for (const place of [root, outside, lookalike]) {
  mkdirSync(place);
  writeFileSync(join(place, 'file'), 'text');
}
symlinkSync(outside, join(root, 'out'));
symlinkSync(join(outside, 'new'), join(root, 'dangling'));
symlinkSync('/proc/self/root', join(root, 'self'));
symlinkSync('loop', join(root, 'loop'));
symlinkSync('file', join(root, 'link'));
process.once('exit', () => rmSync(base, { recursive: true, force: true }));

export const rw: readonly BoundaryRoot[] = [{ path: root, access: 'rw' }];

/** A call of a tool that the server listed without a word about it. */
export function call(args: unknown, more: Partial<GatedCall> = {}): GatedCall {
  return {
    method: 'tools/call',
    params: { name: 'tool', arguments: args },
    claims: { readOnly: false, destructive: true, openWorld: true },
    isListed: () => true,
    inputSchema: undefined,
    era: 'initialize',
    client: { name: 'claude-code', version: '2' },
    ...more,
  };
}

/** A gate whose guard does as it is told. */
export function open(options: FakeGuardOptions & { readonly patienceMs?: number; readonly drainMs?: number } = {}) {
  const fake = fakeGuard({ roots: rw, ...options });
  const gate = createCallGates({
    home: '/home/nobody',
    limits: { mcpStaleRootsMs: 500, mcpDrainMs: options.drainMs ?? 200 },
    ...(options.patienceMs === undefined ? {} : { patienceMs: () => options.patienceMs }),
  })(fake.guard);
  const check = (one: GatedCall, signal = new AbortController().signal) => Promise.resolve(gate.check(one, { signal }));
  return { ...fake, gate, check };
}

/** What an agent is told. */
export function textOf(verdict: CallVerdict | Screening): string {
  return verdict.kind === 'refuse' ? verdict.text : verdict.kind;
}
