import { dayAt, daysOfMonth, EARLIEST_AT } from '@asof/extract/timestamp'

const MINUTE_MS = 60_000
const DELTA = /^(\d{1,6})(min|h|d|w|mo|y)$/
const fixedUnitsMs = { min: MINUTE_MS, h: 60 * MINUTE_MS, d: 1440 * MINUTE_MS, w: 7 * 1440 * MINUTE_MS }

/** A duration before an instant (spec 2.4): `2h`, `7d`, `1mo`. Months and years are calendar steps in UTC. */
export interface Delta {
  count: number
  unit: 'min' | 'h' | 'd' | 'w' | 'mo' | 'y'
}

/** Reads `<number><unit>`, with at most 6 digits and a lower-case unit. Returns undefined for other texts. */
export function readDelta(text: string): Delta | undefined {
  const match = DELTA.exec(text)
  return match ? { count: Number(match[1]), unit: match[2] as Delta['unit'] } : undefined
}

/**
 * Returns the instant one delta before `at`, in epoch ms, but at least {@link EARLIEST_AT}. A step of months or years
 * keeps the day of the month and the time of day. If the target month is shorter, the day becomes its last one.
 */
export function before(at: number, { count, unit }: Delta): number {
  const earlier =
    unit === 'mo' || unit === 'y' ? stepBack(at, unit === 'y' ? count * 12 : count) : at - count * fixedUnitsMs[unit]
  return Math.max(earlier, EARLIEST_AT)
}

/** Returns the start of the minute of an instant, both in epoch ms. */
export function truncateToMinute(at: number): number {
  return Math.floor(at / MINUTE_MS) * MINUTE_MS
}

function stepBack(at: number, months: number): number {
  const date = new Date(at)
  const timeOfDayMs = at - dayAt(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() - months
  const year = Math.floor(month / 12)
  const monthOfYear = month - year * 12 + 1
  const day = dayAt(year, monthOfYear, Math.min(date.getUTCDate(), daysOfMonth(year, monthOfYear)))
  return Number.isNaN(day) ? EARLIEST_AT : day + timeOfDayMs
}
