import { changeProbability, changeRate } from './change-rate.ts'
import type { PageRecord } from './frontier-record.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** How a corpus is kept fresh; times in ms. */
export interface RevisitOptions {
  /** The shortest time between two visits of a page. Default an hour. */
  minIntervalMs?: number | undefined
  /** The longest. Default 30 days. */
  maxIntervalMs?: number | undefined
  /** How often seeds are looked at, which new pages are linked from. Default an hour. */
  seedIntervalMs?: number | undefined
}

/** The longest that a site's word (RFC 9111) keeps us from looking again. */
const maxFreshMs = dayMs
// At this interval an even chance says that the page has changed: of what is spent on it half brings something.
const evenChance = Math.LN2

/**
 * When a page is visited again while its corpus is watched: when it has changed as likely as not, within bounds; not
 * as long as its site calls it fresh; and later each time after a failure. Epoch ms.
 */
export function nextVisitAt(record: PageRecord, nowAt: number, options: RevisitOptions = {}): number {
  const { minIntervalMs = hourMs, maxIntervalMs = 30 * dayMs, seedIntervalMs = hourMs } = options
  const lastAt = record.lastFetchedAt ?? nowAt
  const bounded = (intervalMs: number) => Math.min(Math.max(intervalMs, minIntervalMs), maxIntervalMs)
  if (record.state === 'skipped') return nowAt + maxIntervalMs
  if (record.state === 'failed') return nowAt + bounded(dayMs * 2 ** Math.min(record.missing ?? 0, 10))
  if (record.depth === 0) return lastAt + seedIntervalMs
  const intervalMs = bounded(evenChance / changeRate(record))
  return Math.max(lastAt + intervalMs, Math.min(record.freshUntilAt ?? 0, nowAt + maxFreshMs))
}

/** Whether a page need not be asked for because its site calls what was fetched fresh still. */
export function isFresh(record: PageRecord, nowAt: number): boolean {
  const { freshUntilAt, lastFetchedAt, storedAs } = record
  if (freshUntilAt === undefined || lastFetchedAt === undefined || storedAs === undefined) return false
  return nowAt < Math.min(freshUntilAt, lastFetchedAt + maxFreshMs)
}

/** The order in which known pages are visited once more: seeds first, then what has changed most likely. 0 to 9. */
export function revisitPriority(record: PageRecord, nowAt: number): number {
  if (record.depth === 0) return 0
  return 9 - Math.floor(changeProbability(record, nowAt) * 8)
}
