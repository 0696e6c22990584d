import type { Difference, ExplainedStep, Explanation, Replay } from '@reeve/policy';
import type { PolicyProblem } from '@reeve/protocol';
import { table } from './terminal.ts';

/** `rules.cedar:3:12: error: … next step`. */
export function describeProblem({ file, line, column, kind, message, next }: PolicyProblem): string {
  return `${file}:${line}:${column}: ${kind}: ${message}. ${next}`;
}

const WITH: Readonly<Record<ExplainedStep['approval'], string>> = {
  none: 'without approval',
  user: "with a user's approval",
  administrator: "with an administrator's approval",
};

export function renderExplanation({ decision, words, steps, differences }: Explanation): string {
  return [
    `${decision.outcome}: ${words}`,
    ...steps.flatMap(stepLines),
    ...decision.failed.map((id) => `could not be evaluated, so nothing is allowed: ${id}`),
    ...(differences.length === 0 ? ['no single fact would change it'] : ['it would come out otherwise with']),
    ...differences.map(differenceLine),
  ].join('\n');
}

function stepLines({ approval, allowed, policies }: ExplainedStep): string[] {
  const verdict = `${WITH[approval]}: ${allowed ? 'allowed' : 'not allowed'}`;
  if (policies.length === 0) return [`${verdict}, since no policy permits it`];
  return [
    `${verdict} by`,
    ...policies.map(({ id, reason, file, line }) => `  ${id} (${file}:${line})${reason ? `: ${reason}` : ''}`),
  ];
}

function differenceLine({ fact, from, to, outcome }: Difference): string {
  return `  ${fact} ${to} instead of ${from}: ${outcome}`;
}

const HEADINGS = ['LINE', 'ACTION', 'WAS', 'WOULD BE', '', 'POLICIES'];
/** Decisions that are shown one by one. */
const MAX_ROWS = 200;

/** One line for what is wrong with many in the same way. */
function alike(unread: Replay['unread']): string[] {
  const counts = Map.groupBy(unread, ({ message, next }) => `${message}. ${next}`);
  return [...counts].map(([words, all]) => {
    const [first] = all;
    return all.length === 1
      ? `line ${first?.line}: ${words}`
      : `${all.length} lines, the first is ${first?.line}: ${words}`;
  });
}

export function renderReplay({ count, changed, unread }: Replay): string {
  const decided = `${count} decisions, ${changed.length === 0 ? 'all as before' : `${changed.length} otherwise`}`;
  const rows = changed.map(({ line, from, to, tighter, policies, facts }) => [
    line,
    facts.kind,
    from,
    to,
    tighter ? 'tighter' : 'freer',
    policies.join(' '),
  ]);
  return [
    ...(rows.length === 0 ? [] : [table(HEADINGS, rows.slice(0, MAX_ROWS))]),
    ...(rows.length > MAX_ROWS ? [`and ${rows.length - MAX_ROWS} more: --json prints all`] : []),
    ...alike(unread),
    decided,
  ].join('\n');
}
