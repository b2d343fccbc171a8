import { EARLIEST_AT } from '@asof/extract/timestamp'
import { type CalendarUnit, calendarUnits } from '../../dates/calendar-units.ts'

/** The buckets that some ascending values fall into. */
export interface Buckets {
  /** The first value of each bucket, ascending. */
  starts: Float64Array
  /** For each value the number of its bucket. */
  bucketOf: Uint32Array
}

/** @param isInstant - true if the values are instants, epoch ms. */
export function bucketsOf(values: Float64Array, interval: number | CalendarUnit, isInstant: boolean): Buckets {
  const startOf = isInstant
    ? (value: number) => startOfUnit(value, interval as CalendarUnit)
    : (value: number) => startOfBucket(value, interval as number)
  const length = isInstant ? calendarUnits[interval as CalendarUnit].leastMs : (interval as number) * NEARLY
  const bucketOf = new Uint32Array(values.length)
  const starts = new Float64Array(values.length)
  let count = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    // Most values are in the bucket of the value before, which takes only a comparison.
    if (count === 0 || !(value < starts[count - 1]! + length)) {
      const start = startOf(value)
      if (count === 0 || starts[count - 1] !== start) starts[count++] = start
    }
    bucketOf[i] = count - 1
  }
  return { starts: starts.subarray(0, count), bucketOf }
}

/**
 * A number is surely in a bucket if its distance from the start is below this share of the bucket's length: rounding cannot
 * change that.
 */
const NEARLY = 0.999
/** Number of significant digits to which multiples of an interval are rounded, so that three times 0.1 is 0.3. */
const DIGITS = 15

/** The first number of a bucket: a multiple of its length. A number that is too large for exact multiples is a bucket of its own. */
function startOfBucket(value: number, length: number): number {
  const quotient = value / length
  if (Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return value
  // The multiple below a negative number can be beyond the numbers, and JSON has no infinity.
  if (Number.isInteger(length)) return Math.max(Math.floor(quotient) * length, -Number.MAX_VALUE) + 0
  const nearest = Number((Math.round(quotient) * length).toPrecision(DIGITS))
  // 0.3 / 0.1 is a little less than 3, although 0.3 begins the bucket.
  return nearest === value ? value : Number((Math.floor(quotient) * length).toPrecision(DIGITS)) + 0
}

/** Returns the first millisecond of the hour, day, week, month or year of an instant, UTC. */
export function startOfUnit(at: number, unit: CalendarUnit): number {
  // The first week that a Date can hold begins before the first instant that it can hold.
  return Math.max(calendarUnits[unit].startOf(at), EARLIEST_AT)
}

/** Writes the beginning of a bucket of instants: its day, or its hour. */
export function writeStart(at: number, unit: CalendarUnit): string {
  const iso = new Date(at).toISOString()
  return unit === 'hour' ? `${iso.slice(0, iso.indexOf(':'))}:00:00Z` : iso.slice(0, iso.indexOf('T'))
}
