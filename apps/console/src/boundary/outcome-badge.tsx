import type { ForeseenOutcome } from '@reeve/client';
import { Badge, type Tone } from '../ui/badge.tsx';

const WORDS: Readonly<Record<ForeseenOutcome, string>> = {
  allow: 'without asking',
  deny: 'refused',
  ask_user: 'needs approval',
  ask_admin: 'needs an administrator',
};
const TONES: Readonly<Record<ForeseenOutcome, Tone>> = {
  allow: 'ok',
  deny: 'danger',
  ask_user: 'warn',
  ask_admin: 'warn',
};

interface OutcomeBadgeProps {
  readonly outcome: ForeseenOutcome;
  /** Ids of those that decide. */
  readonly policies: readonly string[];
}

/** What would become of something at a start; an outcome that is not known counts as a question. */
export function OutcomeBadge({ outcome, policies }: OutcomeBadgeProps) {
  const title = policies.length === 0 ? {} : { title: `by ${policies.join(', ')}` };
  return (
    <Badge tone={TONES[outcome] ?? 'warn'} {...title}>
      {WORDS[outcome] ?? outcome}
    </Badge>
  );
}
