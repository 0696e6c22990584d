import type { Outcome } from '@reeve/policy';
import type { BoundaryRoot } from '@reeve/protocol';
import type { ForeseenServer, Foresight } from './foreseen.ts';
import type { RootExaminer } from './root-facts.ts';
import type { RootStanding } from './root-standing.ts';
import type { ServerView } from './server-view.ts';
import { standingOf } from './stand-roots.ts';

/** Of roots that were examined; one that nobody could look at has no risk that is known. */
export function foreseeRoots(roots: readonly BoundaryRoot[], examiner: RootExaminer): Foresight['roots'] {
  return roots.map((root) => standingOf(root, examiner.found(root.path), 'undecided'));
}

/** Asks nobody, and changes nothing. */
export function foreseeServer(view: ServerView): ForeseenServer {
  const decision = view.decideStart();
  const start =
    view.denial() || view.unseenLoaders().length > 0 ? 'deny' : view.mayRun(decision) ? 'allow' : decision.outcome;
  // Its roots are asked about with it, as they would stand once it is known.
  const { roots, undecided } = view.stand({ ...view.facts, known: true });
  const approvals = new Map(undecided.map(({ root, approval }) => [root.path, approval]));
  return {
    shown: view.subject().shown,
    start,
    policies: decision.policies,
    roots: roots.map((standing) => ({ standing, outcome: outcomeOf(standing, approvals.get(standing.root.path)) })),
  };
}

function outcomeOf({ state }: RootStanding, approval: 'user' | 'administrator' | undefined): Outcome {
  if (approval !== undefined) return approval === 'administrator' ? 'ask_admin' : 'ask_user';
  return state === 'granted' ? 'allow' : 'deny';
}
