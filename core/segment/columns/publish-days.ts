const DAY_MS = 86_400_000
/** The day of what has no publish date. */
export const UNDATED = 0
const [FIRST_DAY, LAST_DAY] = [1, 0xffff]

/**
 * The days of publish dates, in two bytes each: what most captures of a window of time can be told by, with a quarter of
 * the memory that their milliseconds would bring through the cache. Days before 1970 and after 2149 are as the nearest of them.
 *
 * @param publishedAt - epoch ms; NaN for no date, which stands before all days.
 */
export function publishDays(publishedAt: Float64Array): Uint16Array {
  const days = new Uint16Array(publishedAt.length)
  for (let i = 0; i < days.length; i++) days[i] = dayOf(publishedAt[i]!)
  return days
}

/** @param publishedAt - epoch ms; NaN for no date. */
export function dayOf(publishedAt: number): number {
  return Number.isNaN(publishedAt) ? UNDATED : publishDay(publishedAt)
}

/** @param at - epoch ms. */
export function publishDay(at: number): number {
  return Math.min(LAST_DAY, Math.max(FIRST_DAY, Math.floor(at / DAY_MS) + FIRST_DAY))
}
