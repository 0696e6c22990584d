import type { EgressPlan } from '../egress/egress-plan.ts';
import type { LimitsPlan } from '../limits/plan-limits.ts';
import type { Profile } from '../profile.ts';
import type { HeldPlace } from './held-places.ts';

/** What a launch inside a profile needs beside the arguments. */
export interface Confinement {
  readonly profile: Profile;
  /** Protected paths that did not exist. */
  readonly absent: readonly string[];
  /** What is narrower than the read-write root or state directory around it. */
  readonly held: readonly HeldPlace[];
  readonly limits: LimitsPlan;
  readonly egress: EgressPlan | undefined;
  /** What of the roots, of the network, and of what guards both does not hold. */
  readonly gaps: Readonly<Record<'files' | 'network' | 'kernel', readonly string[]>>;
}
