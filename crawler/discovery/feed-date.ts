import { readMailDate } from '@asof/extract/written-dates'

/** A W3C date-time of any precision, also in the basic format of ISO 8601, such as `20230905T143000+0200`. */
const w3cDate =
  /^(\d{4})(?:-?(\d{2})(?:-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i
const MAX_CHARS = 200

/**
 * Parses a date of a sitemap or feed: a W3C date-time of any precision, or a date of mail (RFC 5322). A date without a
 * zone, or with an unknown one, is in UTC.
 *
 * @returns epoch ms; `undefined` for other texts, and for days that do not exist.
 */
export function parseFeedDate(text: string): number | undefined {
  const trimmed = text.trim().slice(0, MAX_CHARS)
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
  const mail = readMailDate(trimmed)
  if (!mail) return undefined
  const { year, month, day, hour, minute, second = '0', offset } = mail
  return instant(year, month - 1, day, [Number(hour), Number(minute), Number(second), 0], offset)
}

function instant(year: number, month: number, day: number, time: [number, number, number, number], zone = '') {
  const [hour, minute, second, ms] = time
  if (month < 0 || hour > 23 || minute > 59 || second > 59) return undefined
  const at = Date.UTC(year, month, day, hour, minute, second, ms)
  const check = new Date(at)
  if (check.getUTCMonth() !== month || check.getUTCDate() !== day) return undefined
  if (!/^[+-]/.test(zone)) return at
  const offset = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', ''))
  return at - (zone[0] === '-' ? -offset : offset) * 60_000
}
