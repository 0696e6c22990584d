import type { ContainerEngine } from '../container/container-engine.ts';
import { probeSandbox, type SandboxProbe, switchedOff } from '../sandbox-probe.ts';
import { enforces, probeContainerBackend, probeWrapBackends, type WrapProbe } from './wrap-backend.ts';

export type SandboxChoice = 'auto' | 'bubblewrap' | 'container' | 'none';

/** The first backend that works of those that are chosen: bubblewrap, a configured container engine, what the system has. */
export async function probeBackends(
  choice: SandboxChoice,
  container: ContainerEngine | undefined,
): Promise<SandboxProbe> {
  switch (choice) {
    case 'none':
      return switchedOff;
    case 'bubblewrap':
      return probeSandbox();
    case 'container':
      return withWrap(
        { backend: 'none', usable: false, contains: false },
        container === undefined ? noEngine : await probeContainerBackend(container),
      );
    case 'auto': {
      const probe = await probeSandbox();
      return probe.usable ? probe : withWrap(probe, await probeWrapBackends(container));
    }
  }
}

const noEngine: WrapProbe = {
  kind: 'none',
  reason: 'no container engine is configured',
  nextStep: 'Name its program and an image in the configuration.',
};

/** What was found of bubblewrap, and of another backend in its place. */
export function withWrap(probe: SandboxProbe, found: WrapProbe): SandboxProbe {
  if (found.kind === 'found') {
    return { ...probe, backend: found.backend.kind, usable: enforces(found.backend), wrap: found.backend };
  }
  const { reason, nextStep } = found;
  if (reason === undefined || nextStep === undefined) return probe;
  const reasons = [probe.reason, reason].filter((text) => text !== undefined);
  const steps = [probe.nextStep, nextStep].filter((text) => text !== undefined);
  return { ...probe, reason: reasons.join(', and '), nextStep: steps.join(' Or: ') };
}
