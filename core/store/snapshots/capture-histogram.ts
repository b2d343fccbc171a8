import { AsofError } from '@asof/extract/errors'
import { EARLIEST_AT } from '@asof/extract/timestamp'
import { calendarUnits } from '../../dates/calendar-units.ts'
import type { Segment } from '../../segment/segment.ts'
import type { Catalog } from './catalog.ts'
import { statsOf } from './index-stats.ts'

/** The length of the bins of a histogram. Bins start with the calendar in UTC; a week starts on Monday. */
export type HistogramInterval = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

/** When the captures of the index were acquired, see {@link Engine.captureHistogram}. */
export interface CaptureHistogram {
  interval: HistogramInterval
  /**
   * The bins that have captures, oldest first. A bin counts the captures acquired from `at` until before `endsAt`, epoch milliseconds:
   * superseded ones too, but no purged or expired ones.
   */
  bins: { at: number; endsAt: number; captures: number }[]
}

const MIN_BINS = 10
const MAX_BINS = 2_000

/** The bins of a histogram, by the calendar. */
export interface CalendarBins {
  interval: HistogramInterval
  /** `startOf` returns the first instant of the bin that an instant is in, `endOf` the first instant of the next bin; epoch ms. */
  startOf: (at: number) => number
  endOf: (at: number) => number
}

/**
 * Returns the shortest bins of which a span needs at most `maxBins`. Returns years if all others are too short, so an index of many
 * centuries may have more bins.
 */
export function binsFor(spanMs: number, maxBins: number): CalendarBins {
  const names = Object.keys(calendarUnits) as HistogramInterval[]
  // A span of n lengths may touch n + 1 bins.
  const interval = names.find(name => Math.floor(spanMs / calendarUnits[name].leastMs) + 2 <= maxBins) ?? 'year'
  const { startOf, endOf } = calendarUnits[interval]
  return { interval, startOf, endOf }
}

/** @throws ASOF_INVALID_OPTION - `maxBins` is out of range. */
export function checkMaxBins(maxBins: number): void {
  if (!Number.isInteger(maxBins) || maxBins < MIN_BINS || maxBins > MAX_BINS)
    throw new AsofError('ASOF_INVALID_OPTION', `maxBins must be a whole number from ${MIN_BINS} to ${MAX_BINS}`, {
      details: { field: 'maxBins' },
    })
}

/** Returns the number of captures acquired before an instant, without tombstones. */
function capturesBefore(segments: readonly Segment[], at: number): number {
  return segments.reduce((total, segment) => total + segment.totals(segment.ordinalEndAt(at - 1)).captures, 0)
}

/** Returns the earliest `acquiredAt` that is not before an instant, epoch ms. Tombstones count. `Infinity` if there is none. */
function nextCaptureAt(segments: readonly Segment[], instant: number): number {
  return segments.reduce((earliest, segment) => {
    const ordinal = segment.firstFrom(instant)
    return ordinal < segment.captures ? Math.min(earliest, segment.columns.acquiredAt[ordinal]!) : earliest
  }, Number.POSITIVE_INFINITY)
}

/**
 * Counts the captures of the index by the calendar, in UTC. Reads only the running sums of the segments, so the time grows with the
 * number of segments and with the number of bins that have captures. The number of captures and their distances do not matter.
 *
 * @param instant - captures that were acquired later do not count, epoch ms.
 */
export function captureHistogram(catalog: Catalog, instant: number, maxBins: number): CaptureHistogram {
  const { oldest, newest } = statsOf(catalog, instant)
  if (oldest === undefined || newest === undefined) return { interval: 'day', bins: [] }
  const { interval, startOf, endOf } = binsFor(newest - oldest, maxBins)
  const bins: CaptureHistogram['bins'] = []
  let before = 0
  for (let next = oldest; next <= newest; ) {
    const at = startOf(next)
    const endsAt = endOf(at)
    const upTo = capturesBefore(catalog.segments, Math.min(endsAt, instant + 1))
    // The first week begins before the first instant that a Date can hold.
    if (upTo > before) bins.push({ at: Math.max(at, EARLIEST_AT), endsAt, captures: upTo - before })
    before = upTo
    next = nextCaptureAt(catalog.segments, endsAt)
  }
  return { interval, bins }
}
