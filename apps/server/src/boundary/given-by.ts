import { DISTINCT_NAMES, indexRoots, type RootIndex } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import type { GivenFact } from '../audit/governance-fact.ts';
import type { Grant } from './grant-store.ts';
import type { RootStanding } from './root-standing.ts';
import type { Standing } from './stand-roots.ts';

/** See `givenBy`. */
export type GivenBy = GivenFact;

/**
 * By what a server has its roots: the policies that decided about each, and the grant where a person gave it, or what it lies in. Roots
 * that it has in the same way stand together, by their places in the list.
 * @param grants that count here and now
 */
export function givenBy(
  roots: readonly BoundaryRoot[],
  standing: Pick<Standing, 'roots'>,
  grants: readonly Grant[],
): readonly GivenBy[] {
  // Made where it is needed: most servers have the very roots of the boundary, in its order.
  let index: RootIndex<BoundaryRoot & { readonly one: RootStanding }> | undefined;
  const stoodAt = (at: number, path: string): RootStanding | undefined => {
    const one = standing.roots[at];
    if (one?.root.path === path) return one;
    index ??= indexRoots(
      standing.roots.map((stood) => ({ ...stood.root, one: stood })),
      DISTINCT_NAMES,
    );
    return index.around(path)?.one;
  };
  const byId = new Map(grants.map((grant) => [grant.id, grant]));
  const people = indexRoots(
    grants
      .filter(({ decision }) => decision === 'allow')
      .map((grant) => ({ path: grant.root.path, access: grant.access, grant })),
    DISTINCT_NAMES,
  );
  // Policies that decided alike are one list: ten thousand roots are told apart without being spelled out.
  const found = new Map<
    readonly string[],
    Map<string | undefined, { readonly given: GivenBy; readonly at: number[] }>
  >();
  for (const [at, { path }] of roots.entries()) {
    const around = stoodAt(at, path);
    const person = byId.size === 0 ? undefined : people.around(path)?.grant;
    const deeper = person !== undefined && person.root.path.length > (around?.root.path.length ?? 0);
    const grant = deeper ? person : byId.get(around?.grant ?? '');
    const policies = around?.policies ?? NONE;
    const byGrant = found.get(policies) ?? new Map();
    found.set(policies, byGrant);
    const alike = byGrant.get(grant?.id);
    if (alike) alike.at.push(at);
    else byGrant.set(grant?.id, { given: { policies, ...(grant ? { grant: shown(grant) } : {}) }, at: [at] });
  }
  const ways = [...found.values()].flatMap((byGrant) => [...byGrant.values()]);
  return ways.map(({ given, at }) => (ways.length === 1 ? given : { ...given, roots: at }));
}

const NONE: readonly string[] = [];

function shown({ id, by, scope, expiresAt }: Grant): NonNullable<GivenBy['grant']> {
  return { id, by, scope: scope.kind, ...(expiresAt === undefined ? {} : { expiresAt }) };
}
