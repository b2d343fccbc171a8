import { AsofError, type CaptureInput, documentUrl, type ObservationInput, type PageKind } from '@asof/core'
import { messageOf, unknownName } from '@asof/extract/errors'
import { z } from 'zod'
import { fieldPath, fieldReasons } from '../field-reason.ts'
import type { UnknownField } from './import-report.ts'
import { readInstantOf } from './record-instant.ts'

const text = z.string().nullish()
/** See `readInstantOf`. Exports write milliseconds for years that do not have four digits. */
const instant = z.union([z.string(), z.number()]).nullish()
/** The engine leaves out a wrong alias. */
const aliases = z.array(z.custom<string>()).nullish()
/** A record of an import, with the names of JSON Lines. */
const recordSchema = z.object({
  url: z.string(),
  /** Names a document without an address, in place of `url`. */
  id: z.union([z.string(), z.number()]).nullish(),
  html: text,
  markdown: text,
  text,
  title: text,
  author: text,
  description: text,
  published_at: instant,
  acquired_at: instant,
  content_type: text,
  fields: z.custom<NonNullable<CaptureInput['fields']>>(isObject).nullish(),
  aliases,
  removed_at: instant,
  seen_at: instant,
  unchanged_since: instant,
  aliased_at: instant,
})
/** The names of the fields of a record. */
export const recordFields: readonly string[] = Object.keys(recordSchema.shape)
/** Fields that `asof extract --json` prints and an import ignores. */
const extractedFields =
  'published_from canonical_url refresh replacedCharacters site_name modifiedAt lang alternates image breadcrumbs ' +
  'isPaywalled robots links data kind warnings'
const knownFields = new Set([...recordFields, 'asof', ...extractedFields.split(' ')])
/** Names of fields in other formats, with the names here. */
const fieldSynonyms = {
  content: 'text',
  body: 'text',
  date: 'published_at',
  published: 'published_at',
  fetchedat: 'acquired_at',
}
type ImportedRecord = z.infer<typeof recordSchema>

/** The field `asof` of an exported line: metadata under the names of `CaptureInput`. Ignored if it is not an object. */
const asofSchema = z.object({
  lang: z.string().nullish(),
  siteName: z.string().nullish(),
  publishedFrom: z.custom<NonNullable<CaptureInput['publishedFrom']>>(isObject).nullish(),
  kind: z.custom<PageKind>(isText).nullish(),
  data: z.custom<NonNullable<CaptureInput['data']>>(Array.isArray).nullish(),
})

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export type OnUnknown = (unknown: Omit<UnknownField, 'where'>) => void

/**
 * Reads an observation from a record of an import.
 *
 * @param onUnknown - called for each unknown field.
 * @throws ASOF_INVALID_CAPTURE
 */
export function observationOfRecord(value: unknown, onUnknown: OnUnknown): ObservationInput {
  const parsed = recordSchema.safeParse(withUrl(value), { reportInput: true })
  if (!parsed.success) {
    const problems = fieldReasons(recordSchema, parsed.error)
    throw badRecord(problems.map(({ path, reason }) => `${fieldPath(path) || 'record'}: ${reason}`).join('; '))
  }
  reportUnknown(value as object, onUnknown)
  const record = parsed.data
  const plain = [record.removed_at, record.seen_at, record.aliased_at].filter(isGiven)
  if (plain.length > 1) throw badRecord('the record must have only one of removed_at, seen_at and aliased_at')
  if (plain.length === 0) return captureOfRecord(record, (value as { asof?: unknown }).asof)
  const body = (['html', 'markdown', 'text', 'acquired_at'] as const).find(field => isPresent(record[field]))
  if (body !== undefined) throw badRecord(`the record must not have ${body} beside removed_at, seen_at or aliased_at`)
  const { url } = record
  if (isGiven(record.removed_at)) return { url, removedAt: instantOf(record.removed_at, 'removed_at') }
  if (isGiven(record.aliased_at))
    return { url, aliasedAt: instantOf(record.aliased_at, 'aliased_at'), aliases: record.aliases ?? [] }
  const { seen_at, unchanged_since } = record
  return {
    url,
    seenAt: instantOf(seen_at as string | number, 'seen_at'),
    unchangedSince: isGiven(unchanged_since) ? instantOf(unchanged_since, 'unchanged_since') : undefined,
    aliases: record.aliases ?? undefined,
  }
}

/** Gives a record that has an `id` and no `url` the URL of a document without an address. */
function withUrl(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { id, url } = value as { id?: unknown; url?: unknown }
  const isNamed = (typeof id === 'string' && id !== '') || typeof id === 'number'
  return isNamed && !isGiven(url as string | null | undefined) ? { ...value, url: documentUrl(String(id)) } : value
}

/** Reports the unknown fields of a record, and of the object `asof` in it. */
function reportUnknown(record: { asof?: unknown }, onUnknown: OnUnknown): void {
  for (const field of Object.keys(record)) {
    if (knownFields.has(field)) continue
    onUnknown({ field, hint: unknownName(field, recordFields, fieldSynonyms).hint })
  }
  const { asof } = record
  if (!isObject(asof)) return
  for (const name of Object.keys(asof)) {
    if (Object.hasOwn(asofSchema.shape, name)) continue
    const { field, hint } = unknownName(name, Object.keys(asofSchema.shape))
    onUnknown({ field: `asof.${field}`, hint })
  }
}

function captureOfRecord(record: ImportedRecord, more: unknown): CaptureInput {
  const { url, html, markdown, text, title, author, description, published_at, acquired_at } = record
  const bodies = [html, markdown, text].filter(isPresent)
  if (bodies.length !== 1) {
    const found = bodies.length === 0 ? 'has none' : 'has more than one'
    throw badRecord(`the record must have one of html, markdown and text, but ${found}`)
  }
  const asof = asofSchema.safeParse(more)
  const given = {
    html,
    markdown,
    text,
    title,
    author,
    description,
    publishedAt: isGiven(published_at) ? instantOf(published_at, 'published_at') : undefined,
    acquiredAt: isGiven(acquired_at) ? instantOf(acquired_at, 'acquired_at') : undefined,
    contentType: record.content_type,
    fields: record.fields,
    aliases: record.aliases,
    ...asof.data,
  }
  return { url, ...Object.fromEntries(Object.entries(given).filter(([, field]) => isPresent(field))) }
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null
}

/** True unless a value is missing or ''. */
function isGiven<T>(value: T | null | undefined): value is T {
  return isPresent(value) && value !== ''
}

/** Checks an instant. Errors call it by its name in the record. */
function instantOf(value: string | number, field: string): string | number {
  try {
    return readInstantOf(value, field)
  } catch (cause) {
    throw badRecord(messageOf(cause))
  }
}

/** Returns the error for a record that is not an observation. */
export function badRecord(why: string): AsofError {
  return new AsofError('ASOF_INVALID_CAPTURE', why)
}
