const DURATION = /^(\d+(?:\.\d+)?)(s|m|h|d|w)$/;
const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** `30m`, `2h` or `7d` in milliseconds; undefined for what is no duration. */
export function durationMs(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? [];
  return count === undefined ? undefined : Math.round(Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]);
}
