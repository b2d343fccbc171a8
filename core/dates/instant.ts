import { AsofError } from '@asof/extract/errors'
import { EARLIEST_AT, LATEST_AT, type Refusal, readInstant } from '@asof/extract/timestamp'
import type { TimeInput } from '../page.ts'

const DATE_FORM = 'a date (2026-05-10)'
const TIMESTAMP_FORM = 'a timestamp (2026-05-10T14:23Z, 2026-05-10T16:23:45.250+02:00)'
export const INSTANT_FORMS = `${DATE_FORM} or ${TIMESTAMP_FORM}`
export const FILTER_FORMS = `${DATE_FORM}, ${TIMESTAMP_FORM} or a delta back in time (90min, 2h, 7d, 1mo, 1y)`
export const FILTER_FORMS_WITH_WEEKS = `${DATE_FORM}, ${TIMESTAMP_FORM} or a delta back in time (90min, 2h, 7d, 2w, 1mo, 1y)`
export const QUERY_TIME_FORMS = `${DATE_FORM}, ${TIMESTAMP_FORM}, a Unix epoch of 9 to 14 digits or a delta back from now (90min, 2h, 7d, 2w, 1mo, 1y)`

/**
 * Reads the instant of a capture: a `Date`, epoch ms, a timestamp, or a date, which means 00:00:00 UTC.
 *
 * @param field - the name of the value in errors, such as `acquiredAt`.
 * @returns epoch ms.
 * @throws ASOF_INVALID_TIME - the value is anything else; `details` contains `field` and `value`.
 */
export function parseInstant(value: TimeInput, field: string): number {
  const at = typeof value === 'string' ? readInstant(value, 'start') : readNumeric(value)
  if (typeof at !== 'number') throw invalidTime(field, value, at.reason, INSTANT_FORMS)
  return at
}

/**
 * Returns the error for a rejected time.
 *
 * @param reason - the end of a sentence whose subject is the value, such as "is not a time".
 * @param forms - the accepted forms, such as {@link INSTANT_FORMS}.
 */
export function invalidTime(field: string, value: unknown, reason: string, forms: string): AsofError {
  return new AsofError('ASOF_INVALID_TIME', `${field}: ${shownTime(value)} ${reason}; expected ${forms}`, {
    details: { field, value: typeof value === 'string' ? value.slice(0, 100) : value },
  })
}

/** Returns a value as an error shows it. An object that is not a `Date` is shown by its type only, because converting it may throw. */
function shownTime(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, 100)}"`
  return typeof value === 'object' && !(value instanceof Date) ? 'an object' : String(value)
}

/** Reads a `Date` or epoch ms. Drops fractions of a millisecond. */
export function readNumeric(value: unknown): number | Refusal {
  const at = value instanceof Date ? value.getTime() : value
  if (typeof at !== 'number') return { reason: 'is not a time' }
  if (!(at >= EARLIEST_AT && at <= LATEST_AT)) return { reason: 'is outside the range of a Date' }
  return Math.floor(at)
}
