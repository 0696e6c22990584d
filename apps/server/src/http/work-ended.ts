import type { Session } from '../sessions/session.ts';

/** How the foreground of a session of ACP v2 stood before a prompt was sent. */
export interface WorkBefore {
  readonly busy: boolean;
  readonly runs: number;
}

/**
 * Waits for the end of the work that a prompt of ACP v2 was put into, which its answer does not tell; gives the stop reason, where the
 * agent said one. Called when the prompt was answered. `sentNow`: it was not answered from an earlier time, by its idempotency key.
 */
export async function workEnded(session: Session, before: WorkBefore, sentNow: boolean): Promise<string | undefined> {
  const { foreground } = session;
  const { runs, interruptions } = foreground;
  const isOverAlready = sentNow ? !before.busy && runs > before.runs && !foreground.busy : !foreground.busy;
  if (isOverAlready) return sentNow ? foreground.stopReason : undefined;
  await foreground.until(() => foreground.runs > runs || foreground.interruptions > interruptions);
  return foreground.runs > runs ? foreground.stopReason : 'error';
}
