const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * A time as ISO 8601 writes it (`2026-11-21`, `2026-11-21T15:00Z`; without a zone that of the machine, but of a date alone UTC), in
 * milliseconds since the epoch. Undefined for anything else: `Date.parse` alone takes "45" for a year and passes over words.
 */
export function parseIsoTime(text: string): number | undefined {
  const at = ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
