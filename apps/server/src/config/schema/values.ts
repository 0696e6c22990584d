import { z } from 'zod';

/* The kinds of values that settings have. The message of each issue is what was expected there. */

export const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
const DAY_MS = 24 * 60 * 60 * 1000;

export const text = (expected: string) => z.string({ error: expected }).min(1, { error: expected });
export const textList = (expected: string) => z.array(text(expected), { error: `a list: ${expected}` });

export function whole(unit: string, standard: number, low: number, high: number) {
  const error = `a whole number${unit === '' ? '' : ` of ${unit}`} from ${low} to ${high}`;
  return z.int({ error }).min(low, { error }).max(high, { error }).default(standard);
}

/** At most 1 GiB. */
export const bytes = (standard: number, low = 1024) => whole('bytes', standard, low, GiB);
export const count = (standard: number, high = 1_000_000) => whole('', standard, 1, high);
/** At most a day. */
export const ms = (standard: number, low = 1) => whole('milliseconds', standard, low, DAY_MS);

/** Optional, without a bound above. */
export const atLeast = (low: number, unit = '') => {
  const error = `a whole number${unit === '' ? '' : ` of ${unit}`}, at least ${low}`;
  return z.int({ error }).min(low, { error }).optional();
};

const VARIABLE = 'the name of an environment variable: letters, digits and "_", no digit first';
export const variable = z.string({ error: VARIABLE }).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: VARIABLE });
