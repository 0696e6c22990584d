import type { Admission } from './server-guard.ts';
import type { ServerRecords } from './server-records.ts';
import type { OpenReview, ServerReviews } from './server-reviews.ts';
import type { ServerView } from './server-view.ts';

export interface Admitting {
  readonly view: ServerView;
  readonly reviews: ServerReviews;
  readonly records: ServerRecords;
  readonly ended: () => boolean;
}

/**
 * Whether a server may run: what a person decided for good, then policies, then a review. Resolves when that is decided; rejects only with
 * the signal's reason.
 */
export async function admitServer(
  { view, reviews, records, ended }: Admitting,
  signal: AbortSignal,
): Promise<Admission> {
  let asked: OpenReview | undefined;
  let examined = false;
  for (;;) {
    signal.throwIfAborted();
    if (ended()) return refused('The session has ended.', 'Begin a new session.');
    const decision = view.decideStart();
    const answered = view.approval() === undefined ? undefined : asked?.request?.id;
    records.decided({ facts: view.startFacts(), decision, answered });
    const { outcome, policies } = decision;
    const who = { approval: asked?.approval ?? 'user', request: asked?.request?.id } as const;
    const unseen = view.unseenLoaders();
    if (unseen.length > 0) {
      records.admission('deny', { ...decision, policies: [] }, { approval: 'policy' });
      return refused(...unseenCode(unseen));
    }
    // Policies, or another session, decided meanwhile.
    if (asked && (view.mayRun(decision) || outcome === 'deny' || view.denial())) reviews.drop(asked);
    const by = view.denial()?.by ?? (asked?.state === 'denied' ? (asked.by ?? 'a person') : undefined);
    if (by !== undefined) {
      records.admission('deny', decision, { ...who, by });
      return refused(
        `It was denied by ${by}.`,
        'Ask whoever answers for this session to approve it: reeve servers approve.',
      );
    }
    if (view.mayRun(decision)) {
      const approver = asked?.by ?? view.approval()?.by;
      records.admission('allow', decision, approver === undefined ? { approval: 'policy' } : { ...who, by: approver });
      return { kind: 'admitted', trusted: view.facts.trusted };
    }
    if (outcome === 'deny') {
      records.admission('deny', decision, { approval: 'policy' });
      const which = policies.join(', ') || 'no policy permits it';
      return refused(`Policies forbid this server: ${which}.`, 'Whoever runs Reeve can change the policies.');
    }
    if (asked?.state === 'ended') return refused('Nobody decided about this server.', 'Start it again to ask again.');
    if (!examined) {
      // It takes a while: what is decided meanwhile counts.
      await view.examine(signal);
      examined = true;
      continue;
    }
    // Its roots are asked about with it, as they would stand once it is known.
    const standing = view.stand({ ...view.facts, known: true });
    const approval = outcome === 'ask_admin' ? 'administrator' : 'user';
    const roots = standing.undecided.filter((root) => root.approval === approval);
    asked = reviews.askServer(approval, roots, view.given(standing, roots));
    if (asked.state !== 'ended') await reviews.change(signal);
  }
}

/** What nobody can be shown nobody can approve: values of variables may be secrets. */
function unseenCode(names: readonly string[]): readonly [string, string] {
  const which = names
    .slice(0, 5)
    .map((name) => JSON.stringify(name.slice(0, 60)))
    .join(', ');
  return [
    `By its variables ${which} other code may run than the command that people are shown.`,
    'Write them into its command (env NAME=value …, and the whole path of the program instead of PATH), or name the server in the configuration of Reeve.',
  ];
}

function refused(reason: string, next: string): Admission {
  return { kind: 'refused', reason, next };
}
