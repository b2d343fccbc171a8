import type { PageRecord } from './frontier-record.ts'

const dayMs = 24 * 60 * 60 * 1000
/** The rate assumed for a page that was visited only once: a change a month. */
const assumedRatePerMs = 1 / (30 * dayMs)

/** What past visits say about how often a page changes. */
export type ChangeHistory = Pick<PageRecord, 'visits' | 'changes' | 'watchedMs'>

/**
 * Adds a visit to a page's history.
 *
 * @param sinceMs - time since the previous visit, ms.
 */
export function observe(history: ChangeHistory, changed: boolean, sinceMs: number): ChangeHistory {
  return {
    visits: (history.visits ?? 0) + 1,
    changes: (history.changes ?? 0) + (changed ? 1 : 0),
    watchedMs: (history.watchedMs ?? 0) + Math.max(1, sinceMs),
  }
}

/** Returns a page's history with a visit at `nowAt` added; empty if there was no earlier visit to compare with. */
export function historyAfter(before: PageRecord, changed: boolean, nowAt: number): ChangeHistory {
  return before.lastFetchedAt === undefined ? {} : observe(before, changed, nowAt - before.lastFetchedAt)
}

/**
 * Estimates how often a page changes, per ms, by the estimator of Cho and Garcia-Molina ("Estimating frequency of
 * change", 4.2): −ln((n − x + ½) / (n + ½)) / I for x changes seen in n visits at an average interval I. Unlike x/(nI) it
 * is not biased low by several changes between two visits, and it is defined for pages that were never or always found
 * changed.
 */
export function changeRate({ visits = 0, changes = 0, watchedMs = 0 }: ChangeHistory): number {
  if (visits === 0 || watchedMs === 0) return assumedRatePerMs
  const rate = -Math.log((visits - changes + 0.5) / (visits + 0.5)) / (watchedMs / visits)
  // No change seen yet: the rate is at most half a change in the time observed.
  return changes === 0 ? Math.min(assumedRatePerMs, 0.5 / watchedMs) : rate
}

/** Returns the probability that a page has changed since its last visit: 0 to 1. */
export function changeProbability(record: PageRecord, nowAt: number): number {
  if (record.lastFetchedAt === undefined) return 1
  return 1 - Math.exp(-changeRate(record) * Math.max(0, nowAt - record.lastFetchedAt))
}
