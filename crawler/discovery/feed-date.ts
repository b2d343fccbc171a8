const w3cDate =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/i
const mailDate =
  /^(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})\s+([A-Za-z]{3})[a-z]*\s+(\d{2}|\d{4})\s+(\d{2}):(\d{2})(?::(\d{2}))?\s*(Z|GMT|UTC?|[+-]\d{4})?$/i
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Parses a date of a sitemap or feed: a W3C date-time of any precision, or an RFC 822 date. A date without a zone is in UTC.
 *
 * @returns epoch ms; `undefined` for other texts, and for days that do not exist.
 */
export function parseFeedDate(text: string): number | undefined {
  const trimmed = text.trim().slice(0, 64)
  const w3c = w3cDate.exec(trimmed)
  if (w3c) {
    const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone] = w3c
    const ms = Number(fraction.slice(0, 3).padEnd(3, '0'))
    return instant(
      Number(year),
      Number(month) - 1,
      Number(day),
      [Number(hour), Number(minute), Number(second), ms],
      zone,
    )
  }
  const mail = mailDate.exec(trimmed)
  if (!mail) return undefined
  const [, day, monthName = '', yearText = '', hour, minute, second = '00', zone] = mail
  const short = Number(yearText)
  // Two-digit years from 50 on are in the twentieth century (RFC 2822, 4.3).
  const year = yearText.length === 4 ? short : short < 50 ? 2000 + short : 1900 + short
  const month = months.indexOf(monthName.toLowerCase())
  return instant(year, month, Number(day), [Number(hour), Number(minute), Number(second), 0], zone)
}

function instant(year: number, month: number, day: number, time: [number, number, number, number], zone?: string) {
  const [hour, minute, second, ms] = time
  if (month < 0 || hour > 23 || minute > 59 || second > 59) return undefined
  const at = Date.UTC(year, month, day, hour, minute, second, ms)
  const check = new Date(at)
  if (check.getUTCMonth() !== month || check.getUTCDate() !== day) return undefined
  if (zone === undefined || !/^[+-]/.test(zone)) return at
  const offset = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return at - (zone[0] === '-' ? -offset : offset) * 60_000
}
