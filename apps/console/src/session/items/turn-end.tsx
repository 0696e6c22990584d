import type { TurnEndItem } from '@reeve/client';
import { visibleText } from '../../hostile/visible-text.ts';
import { duration } from '../../ui/duration.ts';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['end_turn', 'Done'],
  ['cancelled', 'Cancelled'],
  ['max_tokens', 'Ended: no more tokens'],
  ['max_turn_requests', 'Ended: too many requests in one turn'],
  ['refusal', 'The agent refused'],
]);

/** The end of a turn: why, and how long it took. */
export function TurnEnd({ item }: { readonly item: TurnEndItem }) {
  const { stopReason, error, durationMs } = item;
  const words = error
    ? `Failed: ${error.message}`
    : (REASONS.get(stopReason ?? '') ?? `Ended: ${stopReason ?? 'without a reason'}`);
  return (
    <p className={`flex items-center gap-3 py-1 text-xs ${error ? 'text-danger' : 'text-muted'}`}>
      <span className="h-px flex-1 bg-line" />
      <span className="wrap-anywhere">
        {visibleText(words)}
        {durationMs !== undefined && ` · ${duration(durationMs)}`}
      </span>
      <span className="h-px flex-1 bg-line" />
    </p>
  );
}
