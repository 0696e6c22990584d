import type { SandboxReport } from '@reeve/protocol';
import type { SandboxProbe, SandboxSurvey } from '@reeve/sandbox';

/** What is used, and beside it what there is; nothing of how a container engine is called. */
export function reportSandbox(probe: SandboxProbe, survey: SandboxSurvey): SandboxReport {
  const { backend, usable, contains, reason, nextStep } = probe;
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
