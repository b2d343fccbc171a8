import { AsofError, isGiven, shown, unknownName } from '@asof/extract/errors'
import { isItem, MAX_BODY_BYTES } from '@asof/extract/internal'
import {
  type DatePrecision,
  type DateSource,
  datePrecisions,
  dateSources,
  type PageKind,
  pageKinds,
  type StructuredItem,
} from '@asof/extract/page'
import { parseInstant } from '../dates/instant.ts'
import { checkFields, type StoredFields } from '../fields/field-values.ts'
import type { CaptureInput, TimeInput } from '../page.ts'
import { normalizeUrl } from '../url.ts'

export type CaptureBodyKind = 'html' | 'markdown' | 'text'

/** A capture whose fields are checked. It is plain data, so that it can be sent to a thread. */
export interface PreparedCapture {
  url: string
  aliases: string[]
  kind: CaptureBodyKind
  body: string | Uint8Array
  contentType?: string
  title?: string
  author?: string
  description?: string
  lang?: string
  siteName?: string
  publishedAt?: number
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  data?: StructuredItem[]
  pageKind?: PageKind
  fields?: StoredFields
  /** The instant that the caller declared, epoch ms. If it is undefined, the engine stamps the capture. */
  acquiredAt?: number
  /** Dates after this instant are ignored in the page, epoch ms. */
  latestAt: number
}

/** Every field of a capture. The type makes the compiler report a missing one. */
const captureFields: Readonly<Record<keyof CaptureInput, true>> = {
  url: true,
  html: true,
  markdown: true,
  text: true,
  title: true,
  author: true,
  description: true,
  publishedAt: true,
  acquiredAt: true,
  contentType: true,
  lang: true,
  publishedFrom: true,
  siteName: true,
  data: true,
  kind: true,
  observed: true,
  fields: true,
  aliases: true,
}
/** Fields of removals, sightings and declared aliases. */
const otherFields = { removedAt: true, seenAt: true, unchangedSince: true, aliasedAt: true }
const captureSynonyms = {
  content: 'text',
  body: 'text',
  language: 'lang',
  date: 'publishedAt',
  published: 'publishedAt',
  acquired: 'acquiredAt',
  fetchedat: 'acquiredAt',
}

/** A value of a capture that was left out or shortened. */
export interface FieldWarning {
  /** The name of the field in `CaptureInput`. */
  field: string
  /** What is wrong with the value, and whether it was left out or shortened. */
  reason: string
}

const bodyKinds: readonly CaptureBodyKind[] = ['html', 'markdown', 'text']
/** Text fields and their maximum length in UTF-16 units. Longer values are shortened. */
const textFields = { title: 1000, author: 500, description: 5000, lang: 35, siteName: 200, contentType: 500 } as const
const MAX_ALIASES = 100
const MAX_DATA_CHARS = 256 * 1024

/**
 * Checks a capture that a caller passed to `add`.
 *
 * @param now - the current instant, epoch ms. A declared `acquiredAt` may not be later.
 * @param onWarning - called for each value that is left out or shortened. The capture is kept.
 * @throws ASOF_INVALID_CAPTURE, ASOF_INVALID_URL, ASOF_INVALID_TIME, ASOF_EXTRACT_TOO_LARGE
 */
export function prepareCapture(
  input: CaptureInput,
  now: number,
  onWarning: (warning: FieldWarning) => void = () => {},
): PreparedCapture {
  if (typeof input !== 'object' || input === null)
    throw invalidCapture('a capture must be an object with url and one of html, markdown and text')
  expectKnownFields(input)
  if (typeof input.url !== 'string') throw invalidCapture('url is missing')
  const given = bodyKinds.filter(kind => input[kind] !== undefined && input[kind] !== null)
  const [kind] = given
  if (kind === undefined || given.length > 1)
    throw invalidCapture(`exactly one of html, markdown and text is needed; ${given.length} given`)
  expectObserved(input.observed, ['capture', 'revision'], kind)
  const body = input[kind]
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw invalidCapture(`${kind} is neither a string nor bytes`)
  const bytes = Buffer.byteLength(body)
  if (bytes > MAX_BODY_BYTES)
    throw new AsofError('ASOF_EXTRACT_TOO_LARGE', `${kind} has ${bytes} bytes; the limit is ${MAX_BODY_BYTES}`)
  const prepared: PreparedCapture = {
    url: normalizeUrl(input.url),
    aliases: checkAliases(input.aliases ?? [], onWarning),
    kind,
    body,
    latestAt: now,
  }
  for (const field of Object.keys(textFields) as (keyof typeof textFields)[]) {
    const value = input[field]
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw invalidCapture(`${field} is not a string`)
    prepared[field] = clipped(value, textFields[field])
    if (prepared[field].length < value.length)
      onWarning({ field, reason: `longer than ${textFields[field]} UTF-16 units: cut to ${prepared[field].length}` })
  }
  if (isGiven(input.data)) prepared.data = checkData(input.data, onWarning)
  if (isGiven(input.kind)) {
    if (!pageKinds.includes(input.kind)) throw invalidCapture(`kind must be one of ${pageKinds.join(', ')}`)
    prepared.pageKind = input.kind
  }
  if (isGiven(input.fields)) {
    const fields = checkFields(input.fields, onWarning)
    if (fields) prepared.fields = fields
  }
  if (isGiven(input.acquiredAt)) {
    const at = declaredInstant(input.acquiredAt, 'acquiredAt', now)
    prepared.acquiredAt = at
    prepared.latestAt = at
  }
  Object.assign(prepared, checkDate(input, prepared.latestAt, onWarning))
  return prepared
}

/**
 * Checks that the `observed` of an observation agrees with its other fields.
 *
 * @param allowed - the values that agree with them.
 * @param beside - the field that decides what the observation is, such as `removedAt`.
 */
export function expectObserved(observed: unknown, allowed: readonly string[], beside: string): void {
  if (isGiven(observed) && !allowed.includes(observed as string))
    throw invalidCapture(`observed must be ${allowed.join(' or ')} beside ${beside}, not ${shown(observed)}`)
}

/** Rejects unknown fields, so that a misspelled field is not silently ignored. */
function expectKnownFields(input: object): void {
  for (const name of Object.keys(input)) {
    if (Object.hasOwn(captureFields, name)) continue
    // An absent `removedAt` means that the observation is a capture.
    if (Object.hasOwn(otherFields, name) && !isGiven(Reflect.get(input, name))) continue
    const { hint, ...details } = unknownName(name, Object.keys(captureFields), captureSynonyms)
    throw new AsofError('ASOF_INVALID_CAPTURE', `unknown field ${details.field}; ${hint}`, { details })
  }
}

/** Returns the publish date of a capture; undefined if it is later than the capture. */
function checkDate(
  input: CaptureInput,
  latestAt: number,
  onWarning: (warning: FieldWarning) => void,
): Pick<PreparedCapture, 'publishedAt' | 'publishedFrom'> {
  const publishedFrom = isGiven(input.publishedFrom) ? checkProvenance(input.publishedFrom) : undefined
  if (!isGiven(input.publishedAt)) {
    if (publishedFrom) onWarning({ field: 'publishedFrom', reason: 'publishedAt is missing: left out' })
    return {}
  }
  const publishedAt = parseInstant(input.publishedAt, 'publishedAt')
  if (publishedAt > latestAt) {
    const than = isGiven(input.acquiredAt) ? 'acquiredAt' : 'the moment of the call'
    onWarning({ field: 'publishedAt', reason: `later than ${than}: left out` })
    return {}
  }
  const precision = typeof input.publishedAt === 'string' ? writtenPrecision(input.publishedAt) : 'second'
  return {
    publishedAt,
    publishedFrom: publishedFrom ?? { source: 'declared', precision },
  }
}

/** Shortens a text to a number of UTF-16 units. Never splits a surrogate pair. */
function clipped(text: string, units: number): string {
  const splits = (text.charCodeAt(units - 1) & 0xfc00) === 0xd800
  return text.slice(0, splits ? units - 1 : units)
}

/**
 * Checks aliases and returns them in their normal form.
 *
 * @param onWarning - called for each wrong alias, which is left out. Default: a wrong alias is an error.
 * @throws ASOF_INVALID_CAPTURE, ASOF_INVALID_URL
 */
export function checkAliases(aliases: unknown, onWarning?: (warning: FieldWarning) => void): string[] {
  if (!Array.isArray(aliases)) throw invalidCapture('aliases is not a list')
  if (aliases.length > MAX_ALIASES)
    throw invalidCapture(`there are ${aliases.length} aliases; at most ${MAX_ALIASES} are kept`)
  return aliases.flatMap((alias: unknown, i) => {
    try {
      if (typeof alias !== 'string') throw invalidCapture(`the alias at ${i} is ${shown(alias)}, not a string`)
      return [normalizeUrl(alias)]
    } catch (error) {
      if (!onWarning || !(error instanceof AsofError)) throw error
      const place = typeof alias === 'string' ? `the alias at ${i}: ` : ''
      onWarning({ field: 'aliases', reason: `${place}${error.message}: left out` })
      return []
    }
  })
}

/**
 * Returns a copy as plain JSON. Other values could be neither stored nor sent to a thread, and the whole batch would
 * fail.
 */
function checkData(data: unknown, onWarning: (warning: FieldWarning) => void): StructuredItem[] {
  if (!Array.isArray(data)) throw invalidCapture('data is not a list')
  // The length is checked first, because a sparse list can be extremely long.
  if (data.length > MAX_DATA_CHARS) throw invalidCapture(`data is over ${MAX_DATA_CHARS} characters of JSON`)
  let json: string
  try {
    // The list is copied because the caller's may have a `toJSON` method. An integer beyond 2^53 keeps its digits as a text.
    json = JSON.stringify([...data], (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  } catch (cause) {
    throw new AsofError('ASOF_INVALID_CAPTURE', 'data is not JSON', { cause })
  }
  if (json.length > MAX_DATA_CHARS) throw invalidCapture(`data is over ${MAX_DATA_CHARS} characters of JSON`)
  const items = JSON.parse(json) as unknown[]
  return items.filter((item, i) => {
    if (isItem(item)) return true
    onWarning({ field: 'data', reason: `the item at ${i} is ${shown(item)}, not an object: left out` })
    return false
  }) as StructuredItem[]
}

function checkProvenance({ source, precision }: { source: DateSource; precision: DatePrecision }): {
  source: DateSource
  precision: DatePrecision
} {
  if (!dateSources.includes(source))
    throw invalidCapture(`publishedFrom.source must be one of ${dateSources.join(', ')}`)
  if (!datePrecisions.includes(precision))
    throw invalidCapture(`publishedFrom.precision must be one of ${datePrecisions.join(', ')}`)
  return { source, precision }
}

/**
 * Returns the precision with which a date or timestamp is written: `2025-05-10` (day), `2025-05-10T10:00Z` (minute) or
 * `2025-05-10T10:00:00Z` (second).
 */
function writtenPrecision(text: string): DatePrecision {
  if (text.length === 10) return 'day'
  return text[16] === ':' ? 'second' : 'minute'
}

/**
 * Reads an instant that a caller declares.
 *
 * @param now - the current instant, epoch ms.
 * @throws ASOF_INVALID_TIME - the value is not an instant, or is in the future.
 */
export function declaredInstant(value: TimeInput, field: string, now: number): number {
  const at = parseInstant(value, field)
  if (at > now) throw invalidInstant(field, 'must not be in the future')
  return at
}

export function invalidInstant(field: string, reason: string): AsofError {
  return new AsofError('ASOF_INVALID_TIME', `${field} ${reason}`, { details: { field } })
}

export function invalidCapture(message: string): AsofError {
  return new AsofError('ASOF_INVALID_CAPTURE', message)
}
