import { AsofError, isAsofError, type ObservationInput, type TimeInput } from '@asof/core'
import { normalizeUrl, parseInstant } from '@asof/core/internal'
import type { WARCRecord } from 'warcio'
import { z } from 'zod'
import type { Warcio } from './warc-package.ts'
import { metadataHeader, metadataOf } from './warc-page.ts'
import { type WarcRecord, withoutBrackets } from './warc-record.ts'

// Two kinds of revisits: the payload equals that of an earlier record, or the server reported no change (ISO
// 28500:2017, 6.7).
const PROFILES = 'http://netpreserve.org/warc/1.1/revisit/'
const SAME_PAYLOAD = 'identical-payload-digest'
const NOT_MODIFIED = 'server-not-modified'

export const WARC_VERSION = 'WARC/1.1'

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
    return WARCRecord.create({ type: 'metadata', url, date: dateText(at), warcVersion: WARC_VERSION, warcHeaders }, [])
  }
  const { seenAt, unchangedSince, aliases } = observation
  const record = WARCRecord.create(
    {
      type: 'revisit',
      url,
      date: dateText(seenAt),
      warcVersion: WARC_VERSION,
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

/** Parses a WARC date: ISO 8601 in UTC with up to nine fractional digits, or the 14 digits that older software writes. */
export function dateOf(text: string, header = 'WARC-Date'): number {
  const written = text.trim().replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z')
  if (/^\d{4}-\d{2}-\d{2}/.test(written))
    try {
      return parseInstant(written, header)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_TIME')) throw error
    }
  throw new AsofError('ASOF_INVALID_CAPTURE', `${header}: "${text.slice(0, 40)}" is not a valid date`)
}

/** A reference of a revisit to the record with its content. */
export interface RevisitReference {
  /** The URL of that record; undefined if the revisit does not say it. */
  url: string | undefined
  /** Epoch ms; undefined if the revisit does not say it. */
  at: number | undefined
}

/**
 * Returns the record that a revisit says to have the same content; undefined if it does not say so. Records of the profile
 * `server-not-modified` are about their own URL.
 *
 * @throws ASOF_INVALID_CAPTURE - WARC-Refers-To-Date is not a date.
 */
export function referenceOf({ fields }: WarcRecord): RevisitReference | undefined {
  if (fields.get('WARC-Profile')?.endsWith(SAME_PAYLOAD) !== true) return undefined
  const date = fields.get('WARC-Refers-To-Date')
  return {
    url: withoutBrackets(fields.get('WARC-Refers-To-Target-URI')),
    at: date === undefined ? undefined : dateOf(date, 'WARC-Refers-To-Date'),
  }
}

/** True for a revisit by other software. Others say that the URL had the same content, or that a server reported no change. */
export function isRevisit({ type, fields }: WarcRecord): boolean {
  const profile = fields.get('WARC-Profile') ?? ''
  return type === 'revisit' && (profile.endsWith(SAME_PAYLOAD) || profile.endsWith(NOT_MODIFIED))
}

/**
 * Reads the observation in a revisit or in a metadata record of an export.
 *
 * @throws ASOF_INVALID_CAPTURE
 */
export function plainObservation(record: WarcRecord, url: string): PlainObservation {
  const { success, data } = plainSchema.safeParse(metadataOf(record) ?? {})
  const { removed, aliases } = data ?? {}
  const isMetadata = record.type === 'metadata'
  if (!success || (isMetadata && !removed && !aliases))
    throw new AsofError('ASOF_INVALID_CAPTURE', 'the metadata of asof do not describe an observation')
  const at = dateOf(record.fields.get('WARC-Date') ?? '')
  if (isMetadata) return removed ? { url, removedAt: at } : { url, aliasedAt: at, aliases: aliases ?? [] }
  const since = referenceOf(record)?.at ?? Number.POSITIVE_INFINITY
  return { url, seenAt: at, unchangedSince: since < at ? since : undefined, aliases }
}

/** True if two URLs are equal when normalized. */
export function isSameUrl(a: string, b: string): boolean {
  try {
    return normalizeUrl(a) === normalizeUrl(b)
  } catch (error) {
    if (isAsofError(error, 'ASOF_INVALID_URL')) return false
    throw error
  }
}
