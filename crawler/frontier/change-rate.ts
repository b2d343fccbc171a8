import type { PageRecord } from './frontier-record.ts'

const dayMs = 24 * 60 * 60 * 1000
/** The assumed rate of change of a page with only one visit: one change in 30 days. */
const assumedRatePerMs = 1 / (30 * dayMs)

/** The counts from which the rate of change of a page is estimated. */
export type ChangeCounts = Pick<PageRecord, 'visits' | 'changes' | 'watchedMs'>

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

/** Returns the counts of a page after a visit at `nowAt`. Empty if the page had no earlier visit to compare with. */
export function countsAfter(before: PageRecord, changed: boolean, nowAt: number): ChangeCounts {
  return before.lastFetchedAt === undefined ? {} : addVisit(before, changed, nowAt - before.lastFetchedAt)
}

/**
 * Estimates how often a page changes, in changes per ms, with the estimator of Cho and Garcia-Molina ("Estimating frequency
 * of change", 4.2): −ln((n − x + ½) / (n + ½)) / I, for x changes found in n visits at an average interval I. The simpler x/(nI)
 * is too low when a page changes several times between two visits. This estimator is not, and it is also defined for pages that
 * changed at no visit or at every visit.
 */
export function changeRate({ visits = 0, changes = 0, watchedMs = 0 }: ChangeCounts): number {
  if (visits === 0 || watchedMs === 0) return assumedRatePerMs
  const rate = -Math.log((visits - changes + 0.5) / (visits + 0.5)) / (watchedMs / visits)
  // The page has not changed yet. Its rate is at most half a change in the observed time.
  return changes === 0 ? Math.min(assumedRatePerMs, 0.5 / watchedMs) : rate
}

/** Returns the probability that a page has changed since its last visit: 0 to 1. */
export function changeProbability(record: PageRecord, nowAt: number): number {
  if (record.lastFetchedAt === undefined) return 1
  return 1 - Math.exp(-changeRate(record) * Math.max(0, nowAt - record.lastFetchedAt))
}
