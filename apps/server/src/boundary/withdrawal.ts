import type { ServerApproval } from './grant-store.ts';
import type { ServerView } from './server-view.ts';

/** Why a server that was admitted may not run any more. */
export type Withdrawal =
  /** What a person decided counts no more, or was taken back. */
  | { readonly cause: 'expired' | 'taken_back' }
  | { readonly cause: 'denied'; readonly by: string }
  | { readonly cause: 'policy'; readonly policies: readonly string[]; readonly policyHash: string };

/** For people. */
export const WITHDRAWN: Readonly<Record<Withdrawal['cause'], string>> = {
  expired: 'its approval has expired',
  taken_back: 'its approval was taken back',
  denied: 'a person has denied it',
  policy: 'policies do not let it any more',
};

/** @param approval with which it was admitted, where a person had a part in that @param now milliseconds since the epoch */
export function withdrawalOf(
  view: Pick<ServerView, 'denial' | 'approval' | 'decideStart'>,
  approval: ServerApproval | undefined,
  now: number,
): Withdrawal {
  const denial = view.denial();
  if (denial) return { cause: 'denied', by: denial.by };
  const { outcome, policies, policyHash } = view.decideStart();
  if (outcome !== 'deny' && approval !== undefined && view.approval() === undefined) {
    return { cause: approval.expiresAt !== undefined && approval.expiresAt <= now ? 'expired' : 'taken_back' };
  }
  return { cause: 'policy', policies, policyHash };
}
