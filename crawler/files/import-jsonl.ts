import {
  AsofError,
  type CaptureInput,
  type Engine,
  isAsofError,
  type ObservationInput,
  type PageKind,
} from '@asof/core'
import { parseInstant } from '@asof/core/internal'
import { optionsReader, unknownName } from '@asof/core/options'
import { z } from 'zod'
import { fieldReasons } from '../field-reason.ts'
import {
  ImportBuffer,
  type ImportOptions,
  type ImportReport,
  importOptionKinds,
  type UnknownField,
} from './import-report.ts'

/** Maximum length of a line, bytes. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024

const readOptions = optionsReader<ImportOptions>(importOptionKinds)

const text = z.string().nullish()
/** ISO 8601, or epoch milliseconds. Exports write milliseconds for years that do not have four digits. */
const instant = z.union([z.string(), z.number()]).nullish()
const aliases = z.array(z.string()).nullish()
const lineSchema = z.object({
  url: z.string(),
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
/** Fields that `asof extract --json` prints and an import ignores. */
const extractedFields =
  'published_from canonical_url site_name modifiedAt lang alternates image breadcrumbs isPaywalled robots links data kind'
const knownFields = new Set([...Object.keys(lineSchema.shape), 'asof', ...extractedFields.split(' ')])
/** Names of fields in other formats, with the names here. */
const fieldSynonyms = {
  content: 'text',
  body: 'text',
  date: 'published_at',
  published: 'published_at',
  fetchedat: 'acquired_at',
}
type Line = z.infer<typeof lineSchema>

/** The field `asof` of an exported line: metadata under the names of `CaptureInput`. Ignored if it is not an object. */
const asofSchema = z.object({
  lang: z.string().optional(),
  siteName: z.string().optional(),
  publishedFrom: z.custom<NonNullable<CaptureInput['publishedFrom']>>(isObject).optional(),
  kind: z.custom<PageKind>(isText).optional(),
  data: z.custom<NonNullable<CaptureInput['data']>>(Array.isArray).optional(),
})

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Imports observations from JSON Lines.
 * - A capture has `url` and one of `html`, `markdown` and `text`. Optional fields are `title`, `author`, `description`,
 *   `published_at`, `acquired_at` (ISO 8601), `content_type`, `fields`, `aliases`, and `asof` with the further metadata
 *   of an export.
 * - A line with `removed_at`, `seen_at` or `aliased_at` declares that the page was gone, was unchanged, or was reached
 *   by `aliases`.
 * - Unknown fields are ignored, and each is reported once.
 * - An invalid line is reported by its number, and the import continues.
 * - A publish date after the acquisition is left out, with a warning.
 *
 * Lines may have up to 32 MiB. Memory does not grow with the input.
 *
 * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
 * @throws ASOF_STORE_WRITE | ASOF_CLOSED - from the engine. Observations that were committed before are kept.
 */
export async function importJsonl(
  engine: Engine,
  source: AsyncIterable<Uint8Array>,
  given?: ImportOptions,
): Promise<ImportReport> {
  const options = readOptions(given)
  const buffer = new ImportBuffer(engine, options)
  const { report } = buffer
  let number = 0
  for await (const line of linesOf(source)) {
    if (options.signal?.aborted) break
    number++
    if (line !== 'too long' && isBlank(line)) continue
    if (buffer.skipNext()) continue
    report.read++
    const where = `line ${number}`
    let url: string | undefined
    try {
      if (line === 'too long') throw badLine(`the line is longer than ${MAX_LINE_BYTES} bytes`)
      const observation = observationOfLine(line, unknown => buffer.noteUnknown({ where, ...unknown }))
      url = observation.url
      await buffer.add(observation, where, line.length)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_CAPTURE')) throw error
      buffer.fail(where, error, url)
    }
  }
  await buffer.flush()
  return report
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

type OnUnknown = (unknown: Omit<UnknownField, 'where'>) => void

/** @param onUnknown - called for each unknown field. */
function observationOfLine(bytes: Uint8Array, onUnknown: OnUnknown): ObservationInput {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch (error) {
    throw badLine(error instanceof SyntaxError ? 'the line is not valid JSON' : 'the line is not valid UTF-8')
  }
  const parsed = lineSchema.safeParse(value, { reportInput: true })
  if (!parsed.success) {
    const problems = fieldReasons(lineSchema, parsed.error)
    throw badLine(problems.map(({ path, reason }) => `${path.join('.') || 'line'}: ${reason}`).join('; '))
  }
  reportUnknown(value as object, onUnknown)
  const line = parsed.data
  const plain = [line.removed_at, line.seen_at, line.aliased_at].filter(isGiven)
  if (plain.length > 1) throw badLine('the line must have only one of removed_at, seen_at and aliased_at')
  if (plain.length === 0) return captureOfLine(line, (value as { asof?: unknown }).asof)
  const body = (['html', 'markdown', 'text', 'acquired_at'] as const).find(field => isPresent(line[field]))
  if (body !== undefined) throw badLine(`the line must not have ${body} beside removed_at, seen_at or aliased_at`)
  const { url } = line
  if (isGiven(line.removed_at)) return { url, removedAt: instantOf(line.removed_at, 'removed_at') }
  if (isGiven(line.aliased_at))
    return { url, aliasedAt: instantOf(line.aliased_at, 'aliased_at'), aliases: line.aliases ?? [] }
  const { seen_at, unchanged_since } = line
  return {
    url,
    seenAt: instantOf(seen_at as string | number, 'seen_at'),
    unchangedSince: isGiven(unchanged_since) ? instantOf(unchanged_since, 'unchanged_since') : undefined,
    aliases: line.aliases ?? undefined,
  }
}

/** Reports the unknown fields of a line and of its object `asof`. */
function reportUnknown(line: { asof?: unknown }, onUnknown: OnUnknown): void {
  for (const field of Object.keys(line)) {
    if (knownFields.has(field)) continue
    onUnknown({ field, hint: unknownName(field, Object.keys(lineSchema.shape), fieldSynonyms).hint })
  }
  const { asof } = line
  if (!isObject(asof)) return
  for (const name of Object.keys(asof)) {
    if (Object.hasOwn(asofSchema.shape, name)) continue
    const { field, hint } = unknownName(name, Object.keys(asofSchema.shape))
    onUnknown({ field: `asof.${field}`, hint })
  }
}

function captureOfLine(line: Line, more: unknown): CaptureInput {
  const { url, html, markdown, text, title, author, description, published_at, acquired_at } = line
  const bodies = [html, markdown, text].filter(isPresent)
  if (bodies.length !== 1) {
    const found = bodies.length === 0 ? 'has none' : 'has more than one'
    throw badLine(`the line must have one of html, markdown and text, but ${found}`)
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
    contentType: line.content_type,
    fields: line.fields,
    aliases: line.aliases,
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

/** Checks an instant. `field` is its name in errors. */
function instantOf(value: string | number, field: string): string | number {
  try {
    parseInstant(value, field)
    return value
  } catch (cause) {
    throw badLine(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Yields lines without line ends. Yields `too long` in place of a line that exceeds the limit. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | 'too long'> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(10, from)
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end)
      size += piece.length
      if (size <= MAX_LINE_BYTES) parts.push(piece)
      else parts = []
      if (end < 0) break
      yield size > MAX_LINE_BYTES ? 'too long' : join(parts, size)
      parts = []
      size = 0
      from = end + 1
    }
  }
  if (size > 0) yield size > MAX_LINE_BYTES ? 'too long' : join(parts, size)
}

function join(parts: Uint8Array[], size: number): Uint8Array {
  const [first] = parts
  return first && parts.length === 1 ? first : Buffer.concat(parts, size)
}

function isBlank(line: Uint8Array): boolean {
  return line.every(byte => byte === 32 || (byte >= 9 && byte <= 13))
}

function badLine(why: string): AsofError {
  return new AsofError('ASOF_INVALID_CAPTURE', why)
}
