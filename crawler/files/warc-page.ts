import { AsofError, type CaptureInput, fieldsInJson } from '@asof/core'
import type { WARCRecord } from 'warcio'
import { z } from 'zod'

/** The header in which archives keep the metadata of a record, as JSON. */
const header = 'WARC-JSON-Metadata'

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

/** Makes the header with the data of a record that only asof reads. */
export function metadataHeader(asof: object): Record<string, string> {
  // Header values must be printable ASCII.
  const json = JSON.stringify({ asof }).replace(
    /[^\x20-\x7e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { [header]: json }
}

/** True for a record with a header of {@link metadataHeader}, valid or not. */
export function hasMetadata(record: WARCRecord): boolean {
  return record.warcHeader(header)?.includes('"asof"') === true
}

/**
 * Reads the header that {@link metadataHeader} makes; `undefined` for a record that asof did not write.
 *
 * @throws ASOF_INVALID_CAPTURE - the header is not JSON.
 */
export function metadataOf(record: WARCRecord): unknown {
  const text = record.warcHeader(header)
  if (!text) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AsofError('ASOF_INVALID_CAPTURE', `${header} is not valid JSON`, { cause })
  }
  return typeof json === 'object' && json !== null && 'asof' in json ? json.asof : undefined
}

/** Makes the header with the metadata of an exported capture. */
export function declarePage(capture: CaptureInput): Record<string, string> {
  const { url: _url, acquiredAt: _acquired, markdown: _markdown, publishedAt, fields, ...described } = capture
  return metadataHeader({
    ...described,
    publishedAt: publishedAt === undefined ? undefined : new Date(publishedAt).getTime(),
    fields: fields && fieldsInJson(fields),
  })
}

/**
 * Reads the metadata of an exported capture; `undefined` for a record that asof did not write. The engine checks the values.
 *
 * @throws ASOF_INVALID_CAPTURE - an export does not write such a header.
 */
export function readDeclaredPage(record: WARCRecord): Omit<CaptureInput, 'url'> | undefined {
  const asof = record.warcType === 'resource' ? metadataOf(record) : undefined
  if (asof === undefined) return undefined
  const { success, data } = pageSchema.safeParse(asof)
  if (!success) throw new AsofError('ASOF_INVALID_CAPTURE', `${header}: the field asof does not describe a page`)
  return data as Omit<CaptureInput, 'url'>
}
