import { changeProbability, changeRate } from './change-rate.ts'
import type { FrontierRecord } from './frontier-record.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** How often the pages of a watched corpus are visited. All times are in ms. */
export interface RevisitOptions {
  /** Shortest time between two visits of a page. Default an hour. */
  minIntervalMs?: number | undefined
  /** Longest time between two visits of a page. Default 30 days. */
  maxIntervalMs?: number | undefined
  /** Time between two visits of a seed. It is short because seeds link to new pages. Default an hour. */
  seedIntervalMs?: number | undefined
}

/** Maximum time for which a page counts as fresh, even if its site declares a longer one (RFC 9111). */
const MAX_FRESH_MS = DAY_MS
// After ln 2 divided by the change rate, a page has changed with probability one half.
const EVEN_CHANCE = Math.LN2

/**
 * Returns when a page of a watched corpus is to be visited again, epoch ms. That is when it has changed with
 * probability one half, within the interval limits, and not while its site declares it fresh. A failed page is visited
 * again after a day. The interval of a page that is gone doubles with each visit.
 */
export function nextVisitAt(record: FrontierRecord, nowAt: number, options: RevisitOptions = {}): number {
  const { minIntervalMs = HOUR_MS, maxIntervalMs = 30 * DAY_MS, seedIntervalMs = HOUR_MS } = options
  const lastAt = record.lastFetchedAt ?? nowAt
  const bounded = (intervalMs: number) => Math.min(Math.max(intervalMs, minIntervalMs), maxIntervalMs)
  if (record.state === 'skipped') return nowAt + maxIntervalMs
  if (record.state === 'failed') return nowAt + bounded(DAY_MS * 2 ** Math.min(record.missing ?? 0, 10))
  if (record.depth === 0) return lastAt + seedIntervalMs
  const intervalMs = bounded(EVEN_CHANCE / changeRate(record))
  return Math.max(lastAt + intervalMs, Math.min(record.freshUntilAt ?? 0, nowAt + MAX_FRESH_MS))
}

/** True if a page need not be requested, because the stored content is still fresh as its site declared. */
export function isFresh(record: FrontierRecord, nowAt: number): boolean {
  const { freshUntilAt, lastFetchedAt, storedAs } = record
  if (freshUntilAt === undefined || lastFetchedAt === undefined || storedAs === undefined) return false
  return nowAt < Math.min(freshUntilAt, lastFetchedAt + MAX_FRESH_MS)
}

/**
 * Returns the priority of a known page in a new run, 0 to 9. Seeds come first, then the pages that have most likely
 * changed.
 */
export function revisitPriority(record: FrontierRecord, nowAt: number): number {
  if (record.depth === 0) return 0
  return 9 - Math.floor(changeProbability(record, nowAt) * 8)
}
