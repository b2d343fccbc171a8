const DAY_MS = 86_400_000
/** The day of a capture without a publish date. */
export const UNDATED = 0
const [FIRST_DAY, LAST_DAY] = [1, 0xffff]

/**
 * The days of publish dates, in two bytes each. For most captures the day alone decides if a date lies in a window, and
 * reading it takes a quarter of the memory bandwidth that milliseconds would take. A day before 1970 or after 2149 counts
 * as the nearest one.
 *
 * @param publishedAt - epoch ms; NaN for no date, which counts as before all days.
 * @param days - receives the days. Default: a new array.
 */
export function publishDays(
  publishedAt: Float64Array,
  days: Uint16Array = new Uint16Array(publishedAt.length),
): Uint16Array {
  for (let i = 0; i < days.length; i++) days[i] = dayOf(publishedAt[i]!)
  return days
}

/**
 * The day of one publish date.
 *
 * @param publishedAt - epoch ms; NaN for no date.
 */
export function dayOf(publishedAt: number): number {
  return Number.isNaN(publishedAt) ? UNDATED : publishDay(publishedAt)
}

/**
 * The day of an instant.
 *
 * @param at - epoch ms.
 */
export function publishDay(at: number): number {
  return Math.min(LAST_DAY, Math.max(FIRST_DAY, Math.floor(at / DAY_MS) + FIRST_DAY))
}
