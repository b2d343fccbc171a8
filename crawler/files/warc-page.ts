import { AsofError, type CaptureInput, fieldsInJson } from '@asof/core'
import { z } from 'zod'
import type { WarcRecord } from './warc-record.ts'

/** The header with a record's metadata in JSON, which other archives use too. */
const HEADER = 'WARC-JSON-Metadata'

const pageSchema = z.object({
  title: z.string(),
  author: z.string().optional(),
  description: z.string().optional(),
  lang: z.string().optional(),
  siteName: z.string().optional(),
  publishedAt: z.number().optional(),
  publishedFrom: z.custom<NonNullable<CaptureInput['publishedFrom']>>().optional(),
  kind: z.custom<NonNullable<CaptureInput['kind']>>().optional(),
  data: z.custom<NonNullable<CaptureInput['data']>>().optional(),
  fields: z.custom<NonNullable<CaptureInput['fields']>>().optional(),
  aliases: z.array(z.string()).optional(),
})

/** Returns the header with data that only asof reads. */
export function metadataHeader(asof: object): Record<string, string> {
  // Header values must be printable ASCII, so other characters are escaped.
  const json = JSON.stringify({ asof }).replace(
    /[^\x20-\x7e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { [HEADER]: json }
}

/** True if a record has the header that {@link metadataHeader} makes, valid or not. */
export function hasMetadata(record: WarcRecord): boolean {
  return record.fields.get(HEADER)?.includes('"asof"') === true
}

/**
 * Reads the header that {@link metadataHeader} makes. Undefined for a record of other software.
 *
 * @throws ASOF_INVALID_CAPTURE - the header is not JSON.
 */
export function metadataOf(record: WarcRecord): unknown {
  const text = record.fields.get(HEADER)
  if (!text) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AsofError('ASOF_INVALID_CAPTURE', `${HEADER} is not valid JSON`, { cause })
  }
  return typeof json === 'object' && json !== null && 'asof' in json ? json.asof : undefined
}

/** Returns the header with the metadata of an exported capture. */
export function declarePage(capture: CaptureInput): Record<string, string> {
  const { url: _, acquiredAt: __, markdown: ___, observed: ____, publishedAt, fields, ...described } = capture
  return metadataHeader({
    ...described,
    publishedAt: publishedAt === undefined ? undefined : new Date(publishedAt).getTime(),
    fields: fields && fieldsInJson(fields),
  })
}

/**
 * Reads the metadata of an exported capture, without checking the values. Undefined for a record of other software.
 *
 * @throws ASOF_INVALID_CAPTURE - the header is not one that an export writes.
 */
export function readDeclaredPage(record: WarcRecord): Omit<CaptureInput, 'url'> | undefined {
  const asof = record.type === 'resource' ? metadataOf(record) : undefined
  if (asof === undefined) return undefined
  const { success, data } = pageSchema.safeParse(asof)
  if (!success) throw new AsofError('ASOF_INVALID_CAPTURE', `${HEADER}: the field asof does not describe a page`)
  return data as Omit<CaptureInput, 'url'>
}
