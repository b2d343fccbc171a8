/** Returns the smallest value that at least `share` of the sorted values do not exceed (nearest rank); `NaN` for no values. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))]!
}

export const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b)

/** Returns the lowest time of each query: its cost when nothing else disturbs it. */
export function bestOfRounds(rounds: number[][]): number[] {
  return (rounds[0] ?? []).map((_, query) => Math.min(...rounds.map(times => times[query]!)))
}
