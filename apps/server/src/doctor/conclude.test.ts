import type { SandboxReport } from '@reeve/protocol';
import type { Enforcement } from '@reeve/sandbox';
import type { EscapeVerdict } from '@reeve/sandbox/examine';
import { describe, expect, it } from 'vitest';
import { conclude, type DoctorFacts } from './conclude.ts';

const sandbox: SandboxReport = {
  backend: 'bubblewrap',
  usable: true,
  contains: true,
  backends: [],
  limits: {},
  limitGaps: [],
  systemCallFilter: true,
  allowLists: true,
};
const enforcement: Enforcement = {
  backend: 'bubblewrap',
  fs: 'enforced',
  network: 'enforced',
  limits: 'enforced',
  limitsTier: 'cgroup',
  gaps: [],
};
const blocked: EscapeVerdict = { id: 'mount', what: 'mount', verdict: 'blocked', detail: '' };
const holds: DoctorFacts = { required: 'enforced', findings: [], sandbox, enforcement, escapes: [blocked] };
const without: Partial<DoctorFacts> = {
  sandbox: { ...sandbox, backend: 'none', usable: false, reason: 'bubblewrap is not installed' },
  enforcement: { ...enforcement, backend: 'none', fs: 'declared' },
  escapes: [],
};

describe('the verdict', () => {
  it.each<[string, Partial<DoctorFacts>, boolean, RegExp]>([
    ['all holds', {}, true, /^enforced: bubblewrap .* 1 attempts/],
    [
      'limits hold in part',
      { enforcement: { ...enforcement, limits: 'partial', gaps: ['limits: memory'] } },
      true,
      /^partial: .*limits partial; 1 gap/,
    ],
    ['one got out', { escapes: [blocked, { ...blocked, verdict: 'escaped' }] }, false, /^partial: .*got out: mount/],
    [
      'not all was tried',
      { findings: [{ id: 'escapes', state: 'weak', detail: 'no time' }] },
      true,
      /^partial: .*no time/,
    ],
    ['there is no sandbox', without, false, /^declared: bubblewrap is not installed$/],
    ['there is none and need not be', { ...without, required: 'declared' }, true, /^declared: /],
    [
      'only landlock works',
      { sandbox: { ...sandbox, backend: 'landlock', usable: false }, enforcement: { ...enforcement, fs: 'partial' } },
      false,
      /^partial: .*landlock does not count/,
    ],
    ['nothing could be started', { enforcement: null }, false, /^declared: no process/],
    [
      'the data directory cannot be written',
      { findings: [{ id: 'data-directory', state: 'wrong', detail: 'x' }] },
      false,
      /^enforced: .*does not work: data-directory/,
    ],
  ])('when %s', (_, facts, ok, conclusion) => {
    const verdict = conclude({ ...holds, ...facts });
    expect(verdict.conclusion).toMatch(conclusion);
    expect(verdict.ok).toBe(ok);
    expect(verdict.conclusion.startsWith(`${verdict.verdict}: `)).toBe(true);
  });
});
