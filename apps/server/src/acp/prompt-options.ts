import { type JsonObject, ourMeta, ReeveError } from '@reeve/protocol';

/** The idempotency key of a prompt. Throws `invalid_params` when that or `whenBusy` under our key is amiss. */
export function readPromptOptions(params: JsonObject): string | undefined {
  const { idempotencyKey: key, whenBusy } = ourMeta(params);
  if (whenBusy !== undefined && whenBusy !== 'queue' && whenBusy !== 'refuse') {
    throw new ReeveError('invalid_params', { message: 'whenBusy: "queue" or "refuse"' });
  }
  if (key === undefined || (typeof key === 'string' && key.length > 0 && key.length <= 256)) return key;
  throw new ReeveError('invalid_params', { message: 'idempotencyKey: a string of 1 to 256 characters' });
}
