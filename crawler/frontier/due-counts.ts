import type { Frontier } from './frontier.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Number of URLs that are counted. Reading so many takes a fraction of a second. */
const MAX_COUNTED = 200_000

/** How many queued URLs of a crawl are due when. Each URL counts once. */
export interface DueCounts {
  /** Due now, or since some time. */
  now: number
  /** Due within the next hour. */
  hour: number
  /** Due within the next day, but not the next hour. */
  day: number
  /** Due after the next day. */
  later: number
  /** False if there are more queued URLs than were counted. */
  isComplete: boolean
}

/** Counts the queued URLs of a frontier by when they are due, up to 200,000 of them. */
export async function countDue(frontier: Pick<Frontier, 'dueTimes'>, nowAt: number): Promise<DueCounts> {
  const counts = { now: 0, hour: 0, day: 0, later: 0, isComplete: true }
  let counted = 0
  for await (const dueAt of frontier.dueTimes()) {
    if (counted++ === MAX_COUNTED) return { ...counts, isComplete: false }
    const waitMs = dueAt - nowAt
    counts[waitMs <= 0 ? 'now' : waitMs <= HOUR_MS ? 'hour' : waitMs <= DAY_MS ? 'day' : 'later'] += 1
  }
  return counts
}
