import { AsofError, type CaptureInput, fieldsInJson, type Page } from '@asof/core'
import type { WARCRecord } from 'warcio'
import { z } from 'zod'

/** The header in which archives keep metadata of a record, as JSON. */
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
})

/** Makes the header that holds the metadata of an exported capture. */
export function declarePage(page: Page): Record<string, string> {
  const {
    url: _url,
    acquiredAt: _acquired,
    revisedAt: _revised,
    supersededAt: _superseded,
    lastSeenAt: _seen,
    markdown: _markdown,
    fields,
    ...described
  } = page
  const asof = { ...described, ...(fields && { fields: fieldsInJson(fields) }) }
  // Header values must be printable ASCII.
  const json = JSON.stringify({ asof }).replace(
    /[^\x20-\x7e]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { [header]: json }
}

/**
 * Reads the metadata of an exported capture; `undefined` for records that asof did not write. The engine checks the values.
 *
 * @throws ASOF_INVALID_CAPTURE - the header is not one that an export writes.
 */
export function declaredPage(record: WARCRecord): Omit<CaptureInput, 'url'> | undefined {
  const text = record.warcType === 'resource' ? record.warcHeader(header) : undefined
  if (!text) return undefined
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AsofError('ASOF_INVALID_CAPTURE', `${header} is not valid JSON`, { cause })
  }
  if (typeof json !== 'object' || json === null || !('asof' in json)) return undefined
  const { success, data } = pageSchema.safeParse(json.asof)
  if (!success) throw new AsofError('ASOF_INVALID_CAPTURE', `${header}: the field asof does not describe a page`)
  return data as Omit<CaptureInput, 'url'>
}
