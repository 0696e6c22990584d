import type { RootStandingInfo } from '@reeve/protocol';

export interface BoundaryActions {
  /** The change that is under way. */
  readonly busy: string | undefined;
  /** Takes a root away, from all or from one server. */
  revoke(path: string, server?: string): void;
  /** Leaves reading alone. */
  narrow(path: string): void;
  /** Gives a root to one server; one of high risk is asked about once more. */
  grant(standing: RootStandingInfo, server: string): void;
}
