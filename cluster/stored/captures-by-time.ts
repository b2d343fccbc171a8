import type { CaptureHistogram, EngineStats } from '@asof/core'
import { binsFor } from '@asof/core/internal'
import { EARLIEST_AT, LATEST_AT } from '@asof/extract/timestamp'
import type { Queries } from '../queries.ts'
import { LENGTHS_MS, statisticsUpTo } from './statistics.ts'

/** Of the captures acquired up to an instant: counts them, counts their URLs, and finds the first and the last capture. */
export async function countCaptures(
  tx: Queries,
  upTo: number,
): Promise<Pick<EngineStats, 'captures' | 'urls' | 'oldest' | 'newest'>> {
  const instant = Math.min(upTo, LATEST_AT)
  const { captures, urls } = await statisticsUpTo(tx, instant)
  if (captures === 0) return { captures, urls, oldest: undefined, newest: undefined }
  const [{ oldest, newest }] = await tx<[{ oldest: number; newest: number }]>`
    select min(at) as oldest, max(at) as newest from statistic where level = 0 and captures > 0 and at <= ${instant}`
  return { captures, urls, oldest, newest }
}

/**
 * Counts the captures up to an instant in bins of the calendar. Reads the sums over long stretches of time, and sums over shorter stretches
 * only where a bin ends within a longer one.
 */
export async function histogramOf(tx: Queries, upTo: number, maxBins: number): Promise<CaptureHistogram> {
  const { oldest, newest } = await countCaptures(tx, upTo)
  if (oldest === undefined || newest === undefined) return { interval: 'day', bins: [] }
  const { interval, startOf, endOf } = binsFor(newest - oldest, maxBins)
  const counts = new Map<number, number>()
  let stretches = [{ start: EARLIEST_AT, end: LATEST_AT + 1 }]
  for (let level = LENGTHS_MS.length - 1; level >= 0; level--) {
    const lengthMs = LENGTHS_MS[level]!
    const split: typeof stretches = []
    for (const { at, captures } of await sumsWithin(tx, level, stretches)) {
      const [start, end] = [at * lengthMs, (at + 1) * lengthMs]
      const bin = startOf(Math.max(start, oldest))
      if (end - 1 > upTo ? lengthMs > 1 : bin !== startOf(Math.min(end - 1, newest))) split.push({ start, end })
      else if (start <= upTo) counts.set(bin, (counts.get(bin) ?? 0) + captures)
    }
    stretches = split
  }
  const bins = [...counts].sort(([a], [b]) => a - b)
  return {
    interval,
    bins: bins.map(([at, captures]) => ({ at: Math.max(at, EARLIEST_AT), endsAt: endOf(at), captures })),
  }
}

/** Reads the sums of one level within some stretches of time, which begin and end where sums of this level do. */
function sumsWithin(
  tx: Queries,
  level: number,
  stretches: readonly { start: number; end: number }[],
): Promise<{ at: number; captures: number }[]> {
  const lengthMs = LENGTHS_MS[level]!
  const from = stretches.map(({ start }) => Math.floor(start / lengthMs))
  const to = stretches.map(({ end }) => Math.ceil(end / lengthMs))
  return tx<{ at: number; captures: number }[]>`
    select at, captures from unnest(${from}::bigint[], ${to}::bigint[]) as stretch (since, until)
    join statistic on level = ${level} and at >= since and at < until and captures > 0`
}
