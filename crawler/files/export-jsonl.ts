import { type CaptureInput, type Engine, fieldsInJson, type Observation, type TimeInput } from '@asof/core'
import { listObservations } from './list-observations.ts'

/**
 * Exports the observations of every page as JSON Lines for `importJsonl`, URL by URL, oldest first. A capture or
 * revision is a line with the text and its `acquired_at`. Its field `asof` has the language, site name, kind,
 * structured data, and where the publish date was found. Removals, sightings and aliases are short lines.
 *
 * @param signal - ends the export between two lines.
 */
export async function* exportJsonl(engine: Pick<Engine, 'exportAll'>, signal?: AbortSignal): AsyncGenerator<string> {
  for await (const observation of listObservations(engine, signal))
    yield `${JSON.stringify(lineOf(observation), withExponents)}\n`
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

function lineOf(observation: Observation): object {
  const { url } = observation
  switch (observation.observed) {
    case 'removal':
      return { url, removed_at: writeInstant(observation.removedAt) }
    case 'alias':
      return { url, aliases: observation.aliases, aliased_at: writeInstant(observation.aliasedAt) }
    case 'sighting': {
      const { seenAt, unchangedSince, aliases } = observation
      return { url, seen_at: writeInstant(seenAt), unchanged_since: writeInstant(unchangedSince), aliases }
    }
    default:
      return captureLine(observation)
  }
}

function captureLine(capture: CaptureInput): object {
  const { url, title, author, description, publishedAt, acquiredAt, markdown, fields, aliases } = capture
  const { lang, siteName, publishedFrom, kind, data } = capture
  return {
    url,
    title,
    author,
    description,
    published_at: writeInstant(publishedAt),
    acquired_at: writeInstant(acquiredAt),
    markdown,
    fields: fields && fieldsInJson(fields),
    aliases,
    asof: { lang, siteName, publishedFrom, kind, data },
  }
}

/** Returns an instant in ISO 8601, or in epoch milliseconds if its year does not have four digits. */
function writeInstant(instant: TimeInput | undefined): string | number | undefined {
  if (instant === undefined) return undefined
  const date = new Date(instant)
  const year = date.getUTCFullYear()
  return year >= 0 && year <= 9999 ? date.toISOString() : date.getTime()
}
