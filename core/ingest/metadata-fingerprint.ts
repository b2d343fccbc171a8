import { hash } from 'node:crypto'
import type { Metadata } from '../store/revision-record.ts'
import { METADATA_DIGITS } from '../store/url-record.ts'

/**
 * Equal for the same metadata: publish date and where it comes from, author, kind, language, description, site name and
 * structured data. The order of the keys of an object does not count.
 */
export function metadataFingerprint({ publishedAt, details }: Metadata): string {
  const { author, description, kind, lang, siteName, publishedFrom, data } = details
  const said = [
    publishedAt,
    publishedFrom && [publishedFrom.source, publishedFrom.precision],
    author,
    description,
    kind,
    lang,
    siteName,
  ]
  const text = `${JSON.stringify(said)}${data === undefined ? '' : canonicalJson(data)}`
  return hash('sha256', text, 'hex').slice(0, METADATA_DIGITS)
}

/** JSON with the keys of each object in order. Data that is nested too deeply for that stays in the order it has. */
function canonicalJson(data: unknown): string {
  try {
    return JSON.stringify(data, (_, value: unknown) => (isObject(value) ? sorted(value) : value))
  } catch (error) {
    if (error instanceof RangeError) return JSON.stringify(data)
    throw error
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(value)
  if (names.every((name, i) => i === 0 || names[i - 1] <= name)) return value
  return Object.fromEntries(names.sort().map(name => [name, value[name]]))
}
