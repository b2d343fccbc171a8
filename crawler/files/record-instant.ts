import { AsofError } from '@asof/core'
import { parseInstant } from '@asof/core/internal'

/** Unix epoch as text: 9 to 11 digits are seconds, maybe with a fraction, and 12 or 13 are milliseconds. */
const EPOCH = /^(?:(\d{9,11})(?:\.(\d{1,9}))?|(\d{12,13})(?:\.\d+)?)$/
const SECONDS_END = 1e11
const FORMS = 'give ISO 8601 (2026-05-10T14:23Z), or Unix epoch in milliseconds'

/**
 * Reads an instant in a record: ISO 8601, epoch milliseconds as a number, or Unix epoch as a text, as CSV has it.
 *
 * @param field - the name of the value in errors, such as `acquired_at`. If it is not `published_at`, the instant is one at which the web
 *   existed, so a number of seconds is an error.
 * @returns a value that the engine reads as the same instant.
 * @throws ASOF_INVALID_TIME
 */
export function readInstantOf(value: string | number, field: string): string | number {
  const instant = typeof value === 'string' ? readText(value.trim(), field) : value
  if (typeof value === 'number' && Math.abs(value) >= 1e8 && Math.abs(value) < SECONDS_END && field !== 'published_at')
    throw invalid(field, `${value} looks like seconds`)
  parseInstant(instant, field)
  return instant
}

function readText(text: string, field: string): string | number {
  if (!/^[+-]?\d+(?:\.\d*)?$/.test(text)) return text
  const [, seconds, fraction = '', milliseconds] = EPOCH.exec(text) ?? []
  if (milliseconds !== undefined) return Number(milliseconds)
  if (seconds !== undefined) return Number(seconds) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
  throw invalid(field, `"${text.slice(0, 40)}" is a number that may be a day, seconds or milliseconds`)
}

function invalid(field: string, why: string): AsofError {
  return new AsofError('ASOF_INVALID_TIME', `${field}: ${why}; ${FORMS}`)
}
