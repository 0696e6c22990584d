import type { SandboxReport } from '@reeve/protocol';
import type { SandboxProbe, SandboxSurvey } from '@reeve/sandbox';

const off = {
  backend: 'none',
  usable: false,
  reason: 'the sandbox is switched off by the configuration ("sandbox.backend")',
  nextStep: 'Set "sandbox.backend" to "auto".',
} as const;

/**
 * What is used, and beside it what there is; nothing of how a container engine is called.
 * @param switchedOff by the configuration: then nothing is used, whatever there is
 */
export function reportSandbox(probe: SandboxProbe, survey: SandboxSurvey, switchedOff: boolean): SandboxReport {
  const { contains } = probe;
  const { backend, usable, reason, nextStep } = switchedOff ? off : probe;
  return {
    backend,
    usable,
    contains,
    // Of a backend that stands in for bubblewrap, why that is not used is told with it.
    ...(reason === undefined || usable ? {} : { reason }),
    ...(nextStep === undefined || usable ? {} : { nextStep }),
    backends: survey.backends,
    limits: { ...survey.limits },
    limitGaps: survey.limitGaps,
    systemCallFilter: survey.systemCallFilter,
    allowLists: survey.allowLists,
  };
}
