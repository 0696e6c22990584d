import type { PlanItem } from '@reeve/client';
import { PlanEntries } from './items/plan-entries.tsx';

/** The newest plan, folded while nobody asks for it. */
export function SessionPlan({ plan }: { readonly plan: PlanItem }) {
  const done = plan.entries.filter(({ status }) => status === 'completed').length;
  if (plan.entries.length === 0 || done === plan.entries.length) return null;
  return (
    <details className="rounded-md border px-3 py-1.5 text-sm">
      <summary>
        Plan: {done} of {plan.entries.length} done
      </summary>
      <PlanEntries entries={plan.entries} />
    </details>
  );
}
