import type { RootStandingInfo } from '@reeve/protocol';

/** How one root stands with one server. */
export type RootStanding = RootStandingInfo;
