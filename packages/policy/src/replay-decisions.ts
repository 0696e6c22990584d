import { isObject } from '@reeve/protocol';
import type { PolicyFacts } from './policy-facts.ts';
import type { Outcome, PolicySet } from './policy-set.ts';
import { readPolicyFacts } from './read-policy-facts.ts';

/** What was decided once: one line of a file of decisions. Members besides these are passed over. */
export interface RecordedDecision {
  readonly facts: PolicyFacts;
  readonly outcome: Outcome;
}

/** A recorded decision that would come out otherwise now. */
export interface ChangedDecision {
  /** From 1. */
  readonly line: number;
  readonly from: Outcome;
  readonly to: Outcome;
  /** Whether it now needs more than before. */
  readonly tighter: boolean;
  /** Ids of the policies that decide now. */
  readonly policies: readonly string[];
  readonly facts: PolicyFacts;
}

/** A line that holds no decision. It never repeats what stands there. */
export interface UnreadLine {
  readonly line: number;
  readonly message: string;
  readonly next: string;
}

export interface Replay {
  /** Decisions that were read. */
  readonly count: number;
  readonly changed: readonly ChangedDecision[];
  readonly unread: readonly UnreadLine[];
}

/** From the freest to the tightest. */
const OUTCOMES: readonly Outcome[] = ['allow', 'ask_user', 'ask_admin', 'deny'];

/** Decides again what was decided before. @param text JSON lines of recorded decisions; empty lines are passed over */
export function replayDecisions(set: PolicySet, text: string): Replay {
  const changed: ChangedDecision[] = [];
  const unread: UnreadLine[] = [];
  let count = 0;
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue;
    const line = index + 1;
    const read = readLine(source);
    if (read.kind === 'unread') {
      unread.push({ line, message: read.message, next: read.next });
      continue;
    }
    count++;
    const { facts, outcome: from } = read.decision;
    const { outcome: to, policies } = set.decide(facts, 0);
    if (from !== to)
      changed.push({ line, from, to, tighter: OUTCOMES.indexOf(to) > OUTCOMES.indexOf(from), policies, facts });
  }
  return { count, changed, unread };
}

type ReadLine =
  | { readonly kind: 'decision'; readonly decision: RecordedDecision }
  | { readonly kind: 'unread'; readonly message: string; readonly next: string };

function readLine(source: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return { kind: 'unread', message: 'the line is no JSON', next: 'Write one JSON object a line.' };
  }
  if (!isObject(value))
    return { kind: 'unread', message: 'the line is no object', next: 'Write {"facts", "outcome"}.' };
  const outcome = OUTCOMES.find((one) => one === value.outcome);
  if (outcome === undefined) {
    return { kind: 'unread', message: 'outcome is none', next: `Write one of ${OUTCOMES.join(', ')}.` };
  }
  const read = readPolicyFacts(value.facts);
  if (read.kind === 'facts') return { kind: 'decision', decision: { facts: read.facts, outcome } };
  const [first] = read.issues;
  return { kind: 'unread', message: `facts.${first?.path}: expected ${first?.expected}`, next: first?.next ?? '' };
}
