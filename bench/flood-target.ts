import type { FloodSpec } from '@reeve/testkit';
import type { FloodTally } from './clients/flood-check.ts';

/** Something that carries an agent's updates to a client. */
export interface FloodTarget extends AsyncDisposable {
  readonly name: string;
  /** The server between agent and client, if there is one. */
  readonly serverPid?: number;
  /** The agent writes this flood as fast as it is let; resolves when the last update that will come has come. */
  flood(spec: FloodSpec): Promise<FloodOutcome>;
}

export interface FloodOutcome {
  /** From the prompt to the newest update, ms. */
  readonly tookMs: number;
  readonly tally: FloodTally;
}

/** Updates that arrived, per second. */
export function rateOf({ tookMs, tally }: FloodOutcome): number {
  return (tally.received / tookMs) * 1000;
}
