import type { RootGrant } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import type { DecidedCase } from './decided-cases.ts';
import type { RootFinding } from './root-facts.ts';
import type { RootStanding } from './root-standing.ts';

/** How a root stands that policies give a server without anybody being asked. */
export interface StoodRoot {
  readonly finding: RootFinding;
  readonly standing: RootStanding;
  readonly grant: RootGrant;
  readonly one: DecidedCase;
}

/**
 * Roots that policies gave one server, for as long as all that policies are told besides the root is the same: a change of a boundary
 * concerns a few of ten thousand roots, and nobody is to wait for the others.
 */
export class StoodRoots {
  #grounds: readonly unknown[] = [];
  #known = new WeakMap<BoundaryRoot, StoodRoot>();

  /** Forgets all unless these are what it rested on before. @param grounds compared one by one, as they are */
  under(...grounds: readonly unknown[]): this {
    const same = grounds.length === this.#grounds.length && grounds.every((one, at) => one === this.#grounds[at]);
    if (!same) this.#known = new WeakMap();
    this.#grounds = grounds;
    return this;
  }

  /** Undefined also where another thing is found in its place. */
  of(root: BoundaryRoot, finding: RootFinding): StoodRoot | undefined {
    const known = this.#known.get(root);
    return known?.finding === finding ? known : undefined;
  }

  keep(root: BoundaryRoot, stood: StoodRoot): void {
    this.#known.set(root, stood);
  }
}
