import { dirname } from 'node:path';
import { contains, DISTINCT_NAMES, indexRoots } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import type { RootFinding } from './root-facts.ts';
import type { Standing } from './stand-roots.ts';

/** What a server has of a root without anybody being asked. */
export interface GivenRoot {
  readonly root: BoundaryRoot;
  readonly finding: RootFinding;
  /** Ids of the policies that give it; none where a person gave a part of a root. */
  readonly policies: readonly string[];
  /** All of it that the server would have; missing where that is the whole root. */
  readonly only?: readonly string[];
}

export interface GivenInput {
  readonly standing: Standing;
  /** What comes of that, with the command line of the server. */
  readonly scope: readonly BoundaryRoot[];
  /** Paths that people are asked about. */
  readonly asked: ReadonlySet<string>;
  /** Paths that people decided about before. */
  readonly decided: ReadonlySet<string>;
  found(path: string): RootFinding | undefined;
}

/**
 * What people must see beside what they are asked: the server has it as well. Told apart is what can be decided apart: what lies in a root
 * of these and rests on the same is left out.
 */
export function givenRoots({ standing, scope, asked, decided, found }: GivenInput): readonly GivenRoot[] {
  const whole = new Set(scope.map(({ path }) => path));
  const roots = new Set(standing.roots.map(({ root }) => root.path));
  const parts = scope.filter(({ path }) => !roots.has(path));
  const shown = standing.roots.flatMap(({ root, access, policies, grant }) => {
    if (access === 'none' || asked.has(root.path)) return [];
    const only = whole.has(root.path) ? [] : parts.filter(({ path }) => contains(root.path, path));
    if (!whole.has(root.path) && only.length === 0) return [];
    return [{ root, path: root.path, kind: 'directory' as const, access, policies, grant, only }];
  });
  const index = indexRoots(shown, DISTINCT_NAMES);
  const given: GivenRoot[] = [];
  for (const { root, access, policies, grant, only } of shown) {
    const around = index.around(dirname(root.path));
    const finding = found(root.path);
    if (!finding || (around?.access === access && around.grant === grant && around.only.length === 0)) continue;
    const part = only.length === 0 ? {} : { only: only.map(({ path }) => path) };
    given.push({ root: { ...root, access }, finding, policies, ...part });
  }
  for (const root of parts) {
    const finding = decided.has(root.path) || !index.around(root.path) ? found(root.path) : undefined;
    if (finding) given.push({ root, finding, policies: [] });
  }
  return given;
}
