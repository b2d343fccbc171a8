import type { FrontierRecord } from './frontier-record.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The assumed change rate of a page that was visited once: one change in 30 days. */
const ASSUMED_RATE_PER_MS = 1 / (30 * DAY_MS)

/** What the change rate of a page is estimated from. */
export type ChangeCounts = Pick<FrontierRecord, 'visits' | 'changes' | 'watchedMs'>

/**
 * Adds a visit to the counts of a page.
 *
 * @param sinceMs - time since the previous visit, ms.
 */
export function addVisit(counts: ChangeCounts, changed: boolean, sinceMs: number): ChangeCounts {
  return {
    visits: (counts.visits ?? 0) + 1,
    changes: (counts.changes ?? 0) + (changed ? 1 : 0),
    watchedMs: (counts.watchedMs ?? 0) + Math.max(1, sinceMs),
  }
}

/**
 * Returns the counts of a page after a visit at `nowAt`. Empty after the first visit, because there is nothing to
 * compare with.
 */
export function countsAfter(before: FrontierRecord, changed: boolean, nowAt: number): ChangeCounts {
  return before.lastFetchedAt === undefined ? {} : addVisit(before, changed, nowAt - before.lastFetchedAt)
}

/**
 * Estimates the change rate of a page, in changes per ms, by Cho and Garcia-Molina ("Estimating frequency of change",
 * 4.2): −ln((n − x + ½) / (n + ½)) / I, for x changes in n visits with the average interval I. The simple estimate
 * x/(nI) is too low for pages that change more than once between visits.
 */
export function changeRate({ visits = 0, changes = 0, watchedMs = 0 }: ChangeCounts): number {
  if (visits === 0 || watchedMs === 0) return ASSUMED_RATE_PER_MS
  const rate = -Math.log((visits - changes + 0.5) / (visits + 0.5)) / (watchedMs / visits)
  // Without any change so far, the rate is at most half a change in the observed time.
  return changes === 0 ? Math.min(ASSUMED_RATE_PER_MS, 0.5 / watchedMs) : rate
}

/** Returns the probability, 0 to 1, that a page has changed since its last visit. */
export function changeProbability(record: FrontierRecord, nowAt: number): number {
  if (record.lastFetchedAt === undefined) return 1
  return 1 - Math.exp(-changeRate(record) * Math.max(0, nowAt - record.lastFetchedAt))
}
