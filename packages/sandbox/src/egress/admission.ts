import { networkInterfaces } from 'node:os';
import { specialRange, unmappedAddress } from './address.ts';
import { type AllowList, loopbackUpstream, type Target } from './allow-list.ts';
import type { EgressRefusal } from './egress-decision.ts';
import { formatEndpoint } from './host.ts';

export type Admission =
  /** Only these addresses may be dialled: the answer of the resolver must not be asked for again. */
  | { readonly kind: 'admitted'; readonly addresses: readonly string[] }
  | { readonly kind: 'resolve'; readonly name: string }
  | EgressRefusal;

/** Whether the target is in the boundary, as far as can be said without resolving its name. */
export function admit(list: AllowList, target: Target): Admission {
  const { host, port } = target;
  if (!list.declares(target)) {
    const endpoint = formatEndpoint(host.text, port);
    return denied(
      'not-declared',
      `${endpoint} is not in this session's boundary. Ask whoever runs the session to add "${endpoint}" to the hosts of its network rule.`,
    );
  }
  const loopback = loopbackUpstream(list, target);
  if (loopback !== undefined) return { kind: 'admitted', addresses: loopback };
  if (host.kind === 'address') return { kind: 'admitted', addresses: [host.text] };
  return { kind: 'resolve', name: host.text };
}

/**
 * Which of the addresses of a declared name may be dialled. A name's owner decides where it points, so it must not lead
 * to a machine of this network, or to this machine (`ownAddresses`): such an address must be declared itself.
 */
export function admitAddresses(
  list: AllowList,
  { host, port }: Target,
  addresses: readonly string[],
  ownAddresses: readonly string[],
): Admission {
  if (addresses.length === 0) return unresolved(host.text);
  const refused: string[] = [];
  const admitted = addresses
    .filter((address) => specialRange(address) !== 'invalid')
    .map(unmappedAddress)
    .filter((address) => {
      if (list.declaresAddress(address, port)) return true;
      const range = specialRange(address) ?? (ownAddresses.includes(address) ? 'of this machine' : undefined);
      if (range !== undefined) refused.push(`${formatEndpoint(address, port)} (${range})`);
      return range === undefined;
    });
  if (admitted.length > 0) return { kind: 'admitted', addresses: admitted };
  return denied(
    'special-address',
    `${host.text} is in this session's boundary, but it leads to ${refused.join(', ') || 'no valid address'}, which is not. ` +
      'If that is meant, ask whoever runs the session to add the address with its port to the hosts of its network rule.',
  );
}

export function unresolved(name: string): EgressRefusal {
  return {
    kind: 'refused',
    decision: 'failed',
    reason: 'unresolved',
    message: `${name} is in this session's boundary, but has no address now. Check the name, and that the server's machine can resolve it.`,
  };
}

/** The addresses under which this machine is reached from elsewhere, canonical. */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ address }) => specialRange(address) === undefined)
    .map(({ address }) => unmappedAddress(address));
}

function denied(reason: EgressRefusal['reason'], message: string): EgressRefusal {
  return { kind: 'refused', decision: 'denied', reason, message };
}
