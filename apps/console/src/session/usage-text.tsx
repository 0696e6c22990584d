import type { UsageItem } from '@reeve/client';

const count = new Intl.NumberFormat('en');

/** Tokens and cost, as the agent says. */
export function UsageText({ usage }: { readonly usage: UsageItem }) {
  const { used, size, cost } = usage;
  return (
    <p>
      {used !== undefined && `${count.format(used)}${size === undefined ? '' : ` of ${count.format(size)}`} tokens`}
      {cost && `${used === undefined ? '' : ' · '}${cost.amount.toFixed(2)} ${cost.currency}`}
    </p>
  );
}
