import { z } from 'zod';

/** Entries of the longest page. */
export const MAX_PAGE = 1000;
const LIMIT = `a whole number from 1 to ${MAX_PAGE}`;

/** How many entries a page is to have: `standard` unless told. */
export function pageLimit(standard: number) {
  return z
    .string()
    .regex(/^\d{1,4}$/, { error: LIMIT })
    .transform(Number)
    .refine((value) => value >= 1 && value <= MAX_PAGE, { error: LIMIT })
    .default(standard);
}
