import { type CaptureInput, fieldsInJson, type ObservationInput, type TimeInput } from '@asof/core'

/**
 * Returns an observation as a line of JSON Lines, without a line end, as `importJsonl` reads it. A capture is a line with its text and its
 * `acquired_at`. Its field `asof` has the language, site name, kind, structured data, and where the publish date was found. Removals,
 * sightings and aliases are short lines.
 *
 * @param observation - the body of a capture is text, not bytes.
 */
export function jsonLine(observation: ObservationInput): string {
  return JSON.stringify(recordOf(observation), withExponents)
}

/** Writes an integer beyond 2^53 with an exponent, because an import refuses its digits, which need not be exact. */
function withExponents(_key: string, value: unknown): unknown {
  const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isInexact ? (JSON as RawJson).rawJSON(value.toExponential()) : value
}

/** ECMA-262, JSON.rawJSON, which the types leave out. */
interface RawJson extends JSON {
  rawJSON(text: string): unknown
}

function recordOf(observation: ObservationInput): object {
  const { url } = observation
  if ('removedAt' in observation) return { url, removed_at: writeInstant(observation.removedAt) }
  if ('aliasedAt' in observation)
    return { url, aliases: observation.aliases, aliased_at: writeInstant(observation.aliasedAt) }
  if (!('seenAt' in observation)) return captureRecord(observation)
  const { seenAt, unchangedSince, aliases } = observation
  return { url, seen_at: writeInstant(seenAt), unchanged_since: writeInstant(unchangedSince), aliases }
}

function captureRecord(capture: CaptureInput): object {
  const { url, title, author, description, publishedAt, acquiredAt, html, markdown, text, contentType } = capture
  const { fields, aliases, lang, siteName, publishedFrom, kind, data } = capture
  return {
    url,
    title,
    author,
    description,
    published_at: writeInstant(publishedAt),
    acquired_at: writeInstant(acquiredAt),
    html,
    markdown,
    text,
    content_type: contentType,
    fields: fields && fieldsInJson(fields),
    aliases,
    asof: { lang, siteName, publishedFrom, kind, data },
  }
}

/** Returns an instant in ISO 8601, or in epoch milliseconds if its year does not have four digits. */
function writeInstant(instant: TimeInput | undefined): string | number | undefined {
  if (instant === undefined) return undefined
  // A string is written as it is: it may be a date, which an import reads as the start of its day.
  if (typeof instant === 'string') return instant
  const date = new Date(instant)
  const year = date.getUTCFullYear()
  return year >= 0 && year <= 9999 ? date.toISOString() : date.getTime()
}
