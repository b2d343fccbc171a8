/** Years that are read as Buddhist on web pages. A Buddhist year is 543 more than the common one. */
const [FIRST_BUDDHIST_YEAR, LAST_BUDDHIST_YEAR] = [2533, 2643]
/**
 * Years that are read as Solar Hijri (Iran, Afghanistan) on web pages. The range ends at 1409, because 1410 and later
 * may be Lunar Hijri years of the same time.
 */
const [FIRST_PERSIAN_YEAR, LAST_PERSIAN_YEAR] = [1369, 1409]

export function isBuddhistYear(year: number): boolean {
  return year >= FIRST_BUDDHIST_YEAR && year <= LAST_BUDDHIST_YEAR
}

/** Converts a Buddhist year, as used in Thailand, to a common one. Returns other years unchanged. */
export function commonYear(year: number): number {
  return isBuddhistYear(year) ? year - 543 : year
}

export function isPersianYear(year: number): boolean {
  return year >= FIRST_PERSIAN_YEAR && year <= LAST_PERSIAN_YEAR
}

/** The leap years in the 33-year cycle. The cycle agrees with the astronomical rule from 1343 to 1472. */
const leapYears = new Set([1, 5, 9, 13, 17, 22, 26, 30])
const isPersianLeapYear = (year: number): boolean => leapYears.has(year % 33)

export interface CalendarDay {
  year: number
  /** 1 to 12. */
  month: number
  day: number
}

/** Converts a Solar Hijri day to the Gregorian calendar. Returns `undefined` for a year out of range or an impossible day. */
export function gregorianDay({ year, month, day }: CalendarDay): CalendarDay | undefined {
  if (!isPersianYear(year) || month < 1 || month > 12 || day < 1) return undefined
  const days = month <= 6 ? 31 : month < 12 || isPersianLeapYear(year) ? 30 : 29
  if (day > days) return undefined
  // 1 Farvardin 1369 was 21 March 1990.
  let past = (month - 1) * 30 + Math.min(month - 1, 6) + day - 1
  for (let before = FIRST_PERSIAN_YEAR; before < year; before++) past += isPersianLeapYear(before) ? 366 : 365
  const date = new Date(Date.UTC(1990, 2, 21 + past))
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}
