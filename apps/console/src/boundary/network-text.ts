import type { BoundaryNetwork } from '@reeve/protocol';
import { exactText } from '../hostile/visible-text.ts';

/** A network rule in words. */
export function networkText(network: BoundaryNetwork | undefined): string {
  if (network === undefined) return 'what the configuration of the agent says';
  if (network === 'none') return 'none';
  if (network === 'full') return 'everything that the server reaches, services of this machine too';
  return network.allow.length === 0 ? 'none' : `only ${network.allow.map(exactText).join(', ')}`;
}
