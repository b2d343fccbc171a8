import { utcOffset, zonePattern } from './utc-offset.ts'

/** A date in a format of mail and news, or one that a programming language prints by default. */
export interface MailDate {
  year: number
  /** 1 to 12. */
  month: number
  day: number
  hour: string
  minute: string
  /** Undefined if the text has no seconds. */
  second: string | undefined
  /** `Z` or `±HH:MM`; '' if the text has no zone or an unknown one. */
  offset: string
}

const weekday = '(?:\\p{L}{2,9}\\.?,?\\s{1,3})?'
const time = '(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.\\d{1,9})?)?'
const zone = `(?:\\s{0,3}(${zonePattern}|[A-IK-Za-ik-z](?!\\p{L})))?`
/** A comment (RFC 5322, section 3.2.2), such as the name of the zone in the language of the browser. */
const comment = '\\s{0,3}(?:\\(.{0,120})?$'

/** RFC 822, RFC 5322: `Tue, 05 Sep 2023 14:30:00 +0200`. RFC 850: `Tuesday, 05-Sep-23 14:30:00 GMT`. */
const dayFirst = new RegExp(
  `^${weekday}(\\d{1,2})[\\s-]{1,3}([A-Za-z]{3})[A-Za-z]{0,6}\\.?[\\s-]{1,3}(\\d{4}|\\d{2})\\s{1,3}${time}${zone}${comment}`,
  'u',
)
/** `Date.prototype.toString` of ECMA-262: `Tue Sep 05 2023 14:30:00 GMT+0200 (CEST)`. */
const monthFirst = new RegExp(
  `^${weekday}([A-Za-z]{3})[A-Za-z]{0,6}\\.?\\s{1,3}(\\d{1,2})\\s{1,3}(\\d{4})\\s{1,3}${time}${zone}${comment}`,
  'u',
)
/** `asctime` of C, with the zone of `date` and Java: `Tue Sep  5 14:30:00 CEST 2023`. */
const yearLast = new RegExp(
  `^${weekday}([A-Za-z]{3})[A-Za-z]{0,6}\\.?\\s{1,3}(\\d{1,2})\\s{1,3}${time}${zone}\\s{1,3}(\\d{4})$`,
  'u',
)

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Reads a text that is a date in a format of mail and news, or one that a programming language prints by default. Undefined for any other
 * text. The calendar may not have the day.
 */
export function readMailDate(text: string): MailDate | undefined {
  const trimmed = text.trim()
  const first = dayFirst.exec(trimmed)
  if (first) {
    const [, day, month, year, hour, minute, second, zone] = first
    return mailDate([day, month, year], [hour, minute, second], zone)
  }
  const middle = monthFirst.exec(trimmed)
  if (middle) {
    const [, month, day, year, hour, minute, second, zone] = middle
    return mailDate([day, month, year], [hour, minute, second], zone)
  }
  const last = yearLast.exec(trimmed)
  if (!last) return undefined
  const [, month, day, hour, minute, second, zone, year] = last
  return mailDate([day, month, year], [hour, minute, second], zone)
}

type Written = string | undefined

function mailDate(
  [day, name = '', written = '']: readonly [Written, Written, Written],
  [hour = '', minute = '', second]: readonly [Written, Written, Written],
  zone: Written,
): MailDate | undefined {
  const month = months.indexOf(name.toLowerCase()) + 1
  if (month === 0) return undefined
  // Two-digit years from 50 on are in the twentieth century (RFC 5322, section 4.3).
  const year = written.length === 4 ? Number(written) : Number(written) + (Number(written) < 50 ? 2000 : 1900)
  return { year, month, day: Number(day), hour, minute, second, offset: zone === undefined ? '' : offsetOf(zone) }
}

/** The military zones of one letter are read as UTC, because senders disagree on their signs (RFC 5322, section 4.3). */
function offsetOf(zone: string): string {
  return zone.length === 1 ? 'Z' : utcOffset(zone)
}
