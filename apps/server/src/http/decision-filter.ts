import type { ReviewScope } from '@reeve/protocol';
import type { DecisionFilter, DecisionScope } from '../boundary/grant-store.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import type { DecisionQuery } from './governance-port.ts';

/** The session by its id, whichever of its names was given. Rejects with `not_found`. */
export async function decisionFilter(
  directory: SessionDirectory,
  { session, fingerprint, scope }: DecisionQuery,
): Promise<DecisionFilter> {
  return {
    ...(session === undefined ? {} : { session: (await directory.record(session)).sessionId }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** How far a decision reaches, as the control API says it. */
export function reachOf(scope: DecisionScope): {
  readonly scope: ReviewScope;
  readonly session?: string;
  readonly project?: string;
} {
  switch (scope.kind) {
    case 'session':
      return { scope: 'session', session: scope.session };
    case 'project':
      return { scope: 'project', project: scope.project };
    case 'always':
      return { scope: 'always' };
  }
}
