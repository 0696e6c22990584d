import type { RevealPathFacts } from '@reeve/policy';
import type { SessionId } from '@reeve/protocol';
import type { Boundaries } from '../boundary/boundaries.ts';
import type { SessionDirectory } from '../sessions/session-directory.ts';
import type { GovernancePort } from './governance-port.ts';

/** How facts name the session and the agent of a record that is of none, or of a session that is no more. */
const NONE = 'none';

/**
 * Policies decide who sees the paths of a record (`reveal_path`), by the session that it is of and by who asks. Whoever asks says yes with
 * that: `ask_user` lets everybody see them, `ask_admin` administrators.
 */
export function revealPermit(directory: SessionDirectory, boundaries: Boundaries): GovernancePort['permitReveal'] {
  const { store, governance } = directory.services;
  return async (session, by) => {
    const record = session === undefined ? undefined : await store.find(session as SessionId);
    const facts: RevealPathFacts = {
      kind: 'reveal_path',
      user: { id: by.label, administrator: by.administrator },
      agent: record?.agent ?? NONE,
      session: { id: session ?? NONE, enforced: record !== undefined && (await governance.confined()) },
    };
    const decision = await boundaries.decide(facts, session);
    const { outcome, policies, policyHash } = decision;
    const told = { policies, policyHash };
    if (outcome === 'allow' || outcome === 'ask_user' || (outcome === 'ask_admin' && by.administrator)) {
      return { kind: 'permitted', ...told };
    }
    if (outcome === 'ask_admin') {
      return {
        kind: 'refused',
        reason: `only an administrator may see these paths: ${policies.join(', ')}`,
        next: 'Ask whoever administers Reeve to reveal the record.',
        ...told,
      };
    }
    return {
      kind: 'refused',
      reason: `policies forbid it: ${policies.join(', ') || 'no policy permits it'}`,
      next: 'Whoever runs Reeve can change the policies; "reeve policy explain" says what would permit it.',
      ...told,
    };
  };
}
