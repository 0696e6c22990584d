/** The value below which `share` (0 to 1) of the samples lie; NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Median of the rounds' ratios: what two contestants had in the same round had the same machine. */
export function medianRatio(over: readonly number[], under: readonly number[]): number {
  return median(over.slice(0, under.length).map((value, round) => value / (under[round] as number)));
}
