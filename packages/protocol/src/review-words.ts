import type { BoundaryNetwork } from './boundary.ts';
import type { ReviewRoot, ReviewScope, ReviewWish } from './review.ts';

const SCOPES: Readonly<Record<ReviewScope, string>> = {
  session: 'this session',
  project: 'every session of this project',
  always: 'every session of this server',
};

/** What somebody who decides about a root must know beside its path, access and risks: in the same words wherever it is shown. */
export function rootNotes({ given, only, joinsSession }: ReviewRoot): readonly string[] {
  const by = given && (given.policies.length === 0 ? 'an earlier decision' : given.policies.join(', '));
  return [
    ...(by === undefined ? [] : [`given without asking, by ${by}`]),
    ...(only === undefined ? [] : [partText(only)]),
    ...(joinsSession ? ['the session and its agent get it too, and keep it until it is taken from the session'] : []),
  ];
}

/** What a server sees of a root that its command line names only in part. */
export function partText(only: readonly string[]): string {
  return `of it only ${only.join(', ')}, since its command line names no more`;
}

/** What a yes that says nothing else is for, and the most that any is for. */
export function wishText({ scope, expiresAt }: ReviewWish): string {
  const until = expiresAt === undefined ? [] : [`until ${new Date(expiresAt).toISOString()}`];
  return [...(scope === undefined ? [] : [SCOPES[scope] ?? scope]), ...until].join(', ');
}

/** What the process of a server may reach. */
export function reachText(network: BoundaryNetwork): string {
  if (network === 'full') return 'everything that this machine reaches, its own services too';
  return network === 'none' || network.allow.length === 0 ? 'nothing' : `only ${network.allow.join(', ')}`;
}
