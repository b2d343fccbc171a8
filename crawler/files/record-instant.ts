import { AsofError } from '@asof/core'
import { parseInstant } from '@asof/core/internal'
import { readEpoch } from '@asof/extract/written-dates'

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
  const epoch = readEpoch(text) ?? text
  if (typeof epoch === 'object') throw invalid(field, `"${text.slice(0, 40)}" ${epoch.reason}`)
  return epoch
}

function invalid(field: string, why: string): AsofError {
  return new AsofError('ASOF_INVALID_TIME', `${field}: ${why}; ${FORMS}`)
}
