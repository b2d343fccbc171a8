/** The value that `share` of the sorted values do not exceed (nearest rank). `NaN` when there are none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))]
}

export const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b)

/** For each query the lowest of its times: what it costs when nothing else gets in the way. */
export function bestOfRounds(rounds: number[][]): number[] {
  return rounds[0].map((_, query) => Math.min(...rounds.map(times => times[query])))
}

/**
 * Who is asked when: the questions cut into slices, and in each slice every engine in turn, so that whatever else the
 * machine does falls on all alike. Who begins moves on from slice to slice.
 */
export function* interleave<Engine, Question>(
  engines: readonly Engine[],
  questions: Question[],
  sliceSize: number,
): Generator<{ engine: Engine; from: number; slice: Question[] }> {
  for (let from = 0, turn = 0; from < questions.length; from += sliceSize, turn++) {
    const slice = questions.slice(from, from + sliceSize)
    for (let i = 0; i < engines.length; i++) yield { engine: engines[(i + turn) % engines.length], from, slice }
  }
}
