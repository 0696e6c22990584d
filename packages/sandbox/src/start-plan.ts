import type { ConfinedLaunch, ContainedLaunch } from './bubblewrap/prepared-launch.ts';
import type { Launch } from './launch.ts';
import type { Profile } from './profile.ts';
import type { SandboxProbe } from './sandbox-probe.ts';
import { type StartFailure, startFailure } from './start-failure.ts';
import type { WrapBackend } from './wrapped/wrap-backend.ts';

/** How a launch will be held: as its profile says, by bubblewrap or another backend, in a process namespace only, or by group and marker. */
export type StartPlan =
  | ({ readonly kind: 'confined' } & ConfinedLaunch)
  | { readonly kind: 'wrapped'; readonly backend: WrapBackend; readonly launch: Launch & { readonly profile: Profile } }
  | ({ readonly kind: 'contained' } & ContainedLaunch)
  | { readonly kind: 'bare' };

/** A profile that cannot be enforced is refused, unless the launch says that it is only declared. */
export function planStart(launch: Launch, probe: SandboxProbe): StartPlan | StartFailure {
  const { profile, require = 'enforced' } = launch;
  const { program, wrap } = probe;
  // Another backend is found only where bubblewrap does not confine.
  if (profile !== undefined && wrap !== undefined && (probe.usable || require === 'declared')) {
    return { kind: 'wrapped', backend: wrap, launch: { ...launch, profile } };
  }
  if (profile !== undefined && probe.usable && program !== undefined) {
    return { kind: 'confined', program, launch, profile };
  }
  if (profile !== undefined && require === 'enforced') {
    return startFailure(
      'no-sandbox',
      `The boundary must be enforced, and no sandbox works here: ${probe.reason ?? 'unknown cause'}. ${probe.nextStep ?? ''} Nothing was started.`,
    );
  }
  return probe.contains && program !== undefined ? { kind: 'contained', program, launch } : { kind: 'bare' };
}
