import { AsofError, isAsofError, type ObservationInput, type TimeInput } from '@asof/core'
import { normalizeUrl } from '@asof/core/internal'
import type { WARCRecord } from 'warcio'
import { z } from 'zod'
import { isReadableType } from '../fetch/readable-type.ts'
import type { Warcio } from './warc-package.ts'
import { hasMetadata, metadataHeader, metadataOf } from './warc-page.ts'

// Two kinds of revisits: the payload equals that of an earlier record, or the server reported no change (ISO
// 28500:2017, 6.7).
const PROFILES = 'http://netpreserve.org/warc/1.1/revisit/'
const SAME_PAYLOAD = 'identical-payload-digest'
const NOT_MODIFIED = 'server-not-modified'

export const warcVersion = 'WARC/1.1'

/** The observation in a record without page content: a revisit, or one of asof's own metadata records. */
export type PlainObservation = Exclude<ObservationInput, { markdown?: unknown }>

const plainSchema = z.object({ removed: z.literal(true).optional(), aliases: z.array(z.string()).optional() })

/**
 * Makes the record of an observation without content. A sighting is a revisit record. A removal or aliases are a
 * metadata record, because WARC has no kind for them.
 *
 * @param payloadDigest - the digest of the record with the content that was found unchanged.
 */
export function plainRecord(
  { WARCRecord }: Warcio,
  observation: PlainObservation,
  payloadDigest: string | undefined,
): WARCRecord {
  const { url } = observation
  if (!('seenAt' in observation)) {
    const [at, asof] =
      'removedAt' in observation
        ? [observation.removedAt, { removed: true }]
        : [observation.aliasedAt, { aliases: observation.aliases }]
    const warcHeaders = { 'Content-Type': 'application/warc-fields', ...metadataHeader(asof) }
    return WARCRecord.create({ type: 'metadata', url, date: dateText(at), warcVersion, warcHeaders }, [])
  }
  const { seenAt, unchangedSince, aliases } = observation
  const record = WARCRecord.create(
    {
      type: 'revisit',
      url,
      date: dateText(seenAt),
      warcVersion,
      warcHeaders: metadataHeader({ aliases }),
      refersToUrl: unchangedSince === undefined ? undefined : url,
      refersToDate: unchangedSince === undefined ? undefined : dateText(unchangedSince),
    },
    [],
  )
  const { headers } = record.warcHeaders
  headers.set('WARC-Profile', `${PROFILES}${unchangedSince === undefined ? NOT_MODIFIED : SAME_PAYLOAD}`)
  if (unchangedSince !== undefined && payloadDigest !== undefined) headers.set('WARC-Payload-Digest', payloadDigest)
  return record
}

/** Writes an instant as a WARC date. */
export function dateText(instant: TimeInput): string {
  return new Date(instant).toISOString()
}

/** Parses a WARC date: ISO 8601 with a zone, and up to nine fractional digits. */
export function dateOf(text: string, header = 'WARC-Date'): number {
  const at = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'))
  if (Number.isNaN(at) || !/^\d{4}-\d{2}-\d{2}T/.test(text))
    throw new AsofError('ASOF_INVALID_CAPTURE', `${header}: "${text.slice(0, 40)}" is not a valid date`)
  return at
}

/**
 * True for a record that {@link plainObservation} can read: one of an export, or a revisit by other software with the
 * HTTP headers of a page.
 */
export function isPlainRecord(record: WARCRecord, url: string): boolean {
  const { warcType } = record
  if (warcType !== 'revisit' && warcType !== 'metadata') return false
  if (hasMetadata(record)) return true
  if (warcType === 'metadata' || !isReadableType(record.httpHeaders?.headers.get('content-type') ?? '')) return false
  const profile = record.warcHeader('WARC-Profile') ?? ''
  if (!profile.endsWith(SAME_PAYLOAD) && !profile.endsWith(NOT_MODIFIED)) return false
  // A revisit may say that another URL had the same bytes. That is no observation of this URL.
  const target = record.warcRefersToTargetURI
  return !target || isSameUrl(target, url)
}

/**
 * Reads the observation in a record for which {@link isPlainRecord} is true.
 *
 * @throws ASOF_INVALID_CAPTURE
 */
export function plainObservation(record: WARCRecord, url: string): PlainObservation {
  const { success, data } = plainSchema.safeParse(metadataOf(record) ?? {})
  const { removed, aliases } = data ?? {}
  const isMetadata = record.warcType === 'metadata'
  if (!success || (isMetadata && !removed && !aliases))
    throw new AsofError('ASOF_INVALID_CAPTURE', 'the metadata of asof do not describe an observation')
  const at = dateOf(record.warcDate ?? '')
  if (isMetadata) return removed ? { url, removedAt: at } : { url, aliasedAt: at, aliases: aliases ?? [] }
  const isSame = record.warcHeader('WARC-Profile')?.endsWith(SAME_PAYLOAD) === true
  const refersTo = record.warcRefersToDate
  const since = isSame && refersTo ? dateOf(refersTo, 'WARC-Refers-To-Date') : Number.POSITIVE_INFINITY
  return { url, seenAt: at, unchangedSince: since < at ? since : undefined, aliases }
}

function isSameUrl(a: string, b: string): boolean {
  try {
    return normalizeUrl(a) === normalizeUrl(b)
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_URL')) return false
    throw error
  }
}
