import { expect, it } from 'vitest';
import { bareProfile } from './bare-profile.ts';
import type { Launch } from './launch.ts';
import type { SandboxProbe } from './sandbox-probe.ts';
import { planStart } from './start-plan.ts';

const launch: Launch = { command: 'agent', args: [], env: {}, cwd: '/' };
const profile = bareProfile();
const works: SandboxProbe = { backend: 'bubblewrap', usable: true, contains: true, program: '/usr/bin/bwrap' };
const containsOnly: SandboxProbe = {
  ...works,
  backend: 'none',
  usable: false,
  reason: 'it leaks',
  nextStep: 'Mend it.',
};
const nothing: SandboxProbe = {
  backend: 'none',
  usable: false,
  contains: false,
  reason: 'it is missing',
  nextStep: 'Install it.',
};

it.each<[string, Launch, SandboxProbe, string]>([
  ['a profile', { ...launch, profile }, works, 'confined'],
  ['a profile that may be only declared', { ...launch, profile, require: 'declared' }, works, 'confined'],
  ['a profile that may be only declared', { ...launch, profile, require: 'declared' }, containsOnly, 'contained'],
  ['a profile that may be only declared', { ...launch, profile, require: 'declared' }, nothing, 'bare'],
  ['no profile', launch, works, 'contained'],
  ['no profile', launch, nothing, 'bare'],
])('a launch with %s is held as far as the machine can: %#', (_what, wanted, probe, kind) => {
  expect(planStart(wanted, probe).kind).toBe(kind);
});

it.each([containsOnly, nothing])(
  'a profile is refused where it cannot be enforced, with cause and next step: %#',
  (probe) => {
    for (const wanted of [
      { ...launch, profile },
      { ...launch, profile, require: 'enforced' as const },
    ]) {
      expect(planStart(wanted, probe)).toMatchObject({
        kind: 'failed',
        reason: 'no-sandbox',
        message: expect.stringMatching(`${probe.reason}. ${probe.nextStep} Nothing was started`),
      });
    }
  },
);
