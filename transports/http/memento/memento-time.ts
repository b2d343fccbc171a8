const DAY_NAMES = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun'
const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const HTTP_DATE = new RegExp(
  `^(?:${DAY_NAMES}), (\\d{2}) (${MONTH_NAMES.join('|')}) (\\d{4}) (\\d{2}):(\\d{2}):(\\d{2}) GMT$`,
)
const STAMP = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{3})?$/

/** Returns the instant of an ISO 8601 text, or `undefined` if there is no such day or time. */
function instantOf(iso: string): number | undefined {
  const at = Date.parse(iso)
  return Number.isNaN(at) || new Date(at).toISOString() !== iso ? undefined : at
}

/**
 * Reads a date in the form of RFC 1123, as in `Accept-Datetime`. Returns the last millisecond of the named second. An HTTP date
 * has no milliseconds, so the date of a memento then finds that memento.
 *
 * @returns epoch ms; `undefined` for any other text and for dates that do not exist. The name of the weekday is not checked.
 */
export function parseHttpDate(text: string): number | undefined {
  const [, day, month, year, hour, minute, second] = HTTP_DATE.exec(text) ?? []
  if (month === undefined) return undefined
  // RFC 9110 (5.6.7) allows a leap second, which a Date does not have.
  const given = `${hour}:${minute}:${second}` === '23:59:60' ? '59' : second
  const monthDigits = String(MONTH_NAMES.indexOf(month) + 1).padStart(2, '0')
  return instantOf(`${year}-${monthDigits}-${day}T${hour}:${minute}:${given}.999Z`)
}

/** Writes an instant as a date in the form of RFC 1123, without milliseconds. @param at - epoch ms, in the years 0 to 9999. */
export function httpDate(at: number): string {
  return new Date(at).toUTCString()
}

/**
 * Writes an instant as a time stamp for the path of a memento: `YYYYMMDDhhmmssmmm`, UTC.
 *
 * @param at - epoch ms, in the years 0 to 9999.
 */
export function stampOf(at: number): string {
  return new Date(at).toISOString().replace(/\D/g, '')
}

/**
 * Reads a time stamp of 17 digits. A time stamp of 14 digits stands for the last millisecond of its second.
 *
 * @returns epoch ms; `undefined` for any other text and for instants that do not exist.
 */
export function parseStamp(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, milliseconds = '999'] = STAMP.exec(text) ?? []
  if (year === undefined) return undefined
  return instantOf(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`)
}
