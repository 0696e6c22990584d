import type { ContainerEngine } from '../container/container-engine.ts';
import { probeContainer } from '../container/container-probe.ts';
import { type LandlockReach, probeLandlock } from '../landlock/landlock-probe.ts';
import { probeSeatbelt } from '../seatbelt/seatbelt-probe.ts';

/** What holds a profile by a command that stands before the program, where bubblewrap does not. */
export type WrapBackend =
  | { readonly kind: 'container'; readonly engine: ContainerEngine }
  | { readonly kind: 'seatbelt' }
  | { readonly kind: 'landlock'; readonly reach: LandlockReach };

export type WrapProbe =
  | { readonly kind: 'found'; readonly backend: WrapBackend }
  /** `reason` and `nextStep` are about the container engine, where one is configured. */
  | { readonly kind: 'none'; readonly reason?: string; readonly nextStep?: string };

/** Whether a profile counts as enforced by it. Landlock leaves too much open for that. */
export function enforces({ kind }: WrapBackend): boolean {
  return kind !== 'landlock';
}

/** The container engine, where one is configured. */
export async function probeContainerBackend(engine: ContainerEngine): Promise<WrapProbe> {
  const probe = await probeContainer(engine);
  if (probe.kind === 'usable') return { kind: 'found', backend: { kind: 'container', engine } };
  return { kind: 'none', reason: probe.reason, nextStep: probe.nextStep };
}

/** The best that works here: the container engine, where one is configured, then what the system has. */
export async function probeWrapBackends(engine: ContainerEngine | undefined): Promise<WrapProbe> {
  const container: WrapProbe = engine === undefined ? { kind: 'none' } : await probeContainerBackend(engine);
  if (container.kind === 'found') return container;
  if ((await probeSeatbelt()).kind === 'usable') return { kind: 'found', backend: { kind: 'seatbelt' } };
  const landlock = await probeLandlock();
  if (landlock.kind === 'unusable') return container;
  const { setpriv, network, scope } = landlock;
  return { kind: 'found', backend: { kind: 'landlock', reach: { setpriv, network, scope } } };
}
