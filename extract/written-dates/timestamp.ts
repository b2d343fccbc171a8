/** Why a value is not a valid time. */
export interface Refusal {
  /** The end of a sentence whose subject is the value, such as "is not a time". */
  reason: string
}

/** The first and the last instant that a `Date` can represent (ECMA-262, time values), epoch ms. */
export const EARLIEST_AT = -8.64e15
export const LATEST_AT = 8.64e15

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
// ISO 8601, extended format, and what RFC 3339 (5.6) also allows: lower case, and a space for the T. An offset is also
// accepted in the basic format (+0200) or as hours alone (+02). A space in place of its sign is read as +, because decoding a
// query string turns + into a space.
const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?: ?(Z|UTC)| ?([+-])(\d{2})(?::?(\d{2}))?| (\d{2})(?::?(\d{2}))?)?$/i

/**
 * Reads a date or a timestamp (spec 2.4). Seconds are optional; an offset is `+02:00`, `+0200` or `+02`. A leap second is
 * the last millisecond of its day.
 *
 * @param dayEdge - `start` if a date means its first millisecond, `end` if it means its last.
 */
export function readInstant(text: string, dayEdge: 'start' | 'end'): number | Refusal {
  const date = DATE.exec(text)
  if (date) {
    const day = readDay(date)
    return typeof day === 'number' && dayEdge === 'end' ? day + DAY_MS - 1 : day
  }
  const timestamp = TIMESTAMP.exec(text)
  return timestamp ? readTimestamp(timestamp) : { reason: 'is not a date or time' }
}

function readDay([, yearDigits, monthDigits, dayDigits]: readonly string[]): number | Refusal {
  const [year, month, day] = [Number(yearDigits), Number(monthDigits), Number(dayDigits)]
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month))
    return { reason: 'contains a day that is not in the calendar' }
  return dayAt(year, month, day)
}

function readTimestamp(match: readonly (string | undefined)[]): number | Refusal {
  const day = readDay(match as readonly string[])
  if (typeof day !== 'number') return day
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60)
    return { reason: 'contains a time of day that is not within 00:00:00 to 23:59:59' }
  const [offsetHours, offsetMinutes] = [Number(match[10] ?? match[12] ?? 0), Number(match[11] ?? match[13] ?? 0)]
  if (offsetHours > 23 || offsetMinutes > 59) return { reason: 'has an offset that is not within ±23:59' }
  const offsetMs = (offsetHours * 60 + offsetMinutes) * MINUTE_MS
  const at = day + (hour * 60 + minute) * MINUTE_MS + (match[9] === '-' ? offsetMs : -offsetMs)
  // A Date has no leap seconds (ECMA-262, time values). RFC 3339 (5.7) allows them at the end of a day in UTC only.
  if (second === 60)
    return (at + MINUTE_MS) % DAY_MS === 0
      ? at + MINUTE_MS - 1
      : { reason: 'contains a second 60, which only a leap second at 23:59:60 UTC has' }
  return at + second * 1000 + Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
}

/**
 * Returns the number of days of a month.
 *
 * @param month - 1 to 12.
 */
export function daysOfMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/**
 * Returns 00:00:00 UTC of a day, in epoch ms, or NaN if a `Date` cannot represent it. `Date.UTC` is not used, because
 * it reads the years 0 to 99 as 1900 to 1999.
 *
 * @param month - 1 to 12.
 */
export function dayAt(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}
