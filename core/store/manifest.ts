import { AsofError } from '@asof/extract/errors'
import { EARLIEST_AT } from '@asof/extract/timestamp'
import type { SegmentInfo } from '../segment/segment-writer.ts'

/** The state of the index. Every commit writes it in the same batch as its changes. */
export interface Manifest {
  /** Number of commits so far. */
  generation: number
  segments: SegmentInfo[]
  nextSegmentId: number
  /** The number of the next capture or revision, which share one sequence. */
  nextCaptureId: number
  /** The latest instant of any observation, epoch ms; {@link EARLIEST_AT} if there is no observation. */
  lastStampAt: number
  /** Number of URLs with at least one observation. */
  urls: number
  /** Number of captures purged by the user since the store was created. */
  purged: number
  /** Number of captures that expired by retention since the store was created. */
  dropped: number
  /**
   * Captures that were superseded up to this instant have expired, epoch ms. The instant never decreases.
   * {@link EARLIEST_AT} if no capture has expired.
   */
  retainedSinceAt: number
  /** Number of times that the relevance of the index was set. Absent if it never was. */
  relevanceVersions?: number
}

export const emptyManifest: Manifest = {
  generation: 0,
  segments: [],
  nextSegmentId: 1,
  nextCaptureId: 1,
  lastStampAt: EARLIEST_AT,
  urls: 0,
  purged: 0,
  dropped: 0,
  retainedSinceAt: EARLIEST_AT,
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  return encodeJson({ version: 1, ...manifest })
}

/**
 * @throws ASOF_STORE_FORMAT, ASOF_STORE_CORRUPT
 */
export function decodeManifest(bytes: Uint8Array): Manifest {
  const { version, ...fields } = decodeJson(bytes, 'the manifest')
  if (typeof version === 'number' && version > 1)
    throw new AsofError('ASOF_STORE_FORMAT', `the manifest has version ${version}; this asof reads 1: upgrade asof`)
  if (version !== 1) throw new AsofError('ASOF_STORE_CORRUPT', 'the manifest has no version')
  const { segments, ...counts } = fields
  expectCounts(counts, Object.keys(emptyManifest), 'the manifest')
  if (!Array.isArray(segments)) throw new AsofError('ASOF_STORE_CORRUPT', "the manifest's segments are missing")
  if (counts.relevanceVersions !== undefined) expectCounts(counts, ['relevanceVersions'], 'the manifest')
  for (const segment of segments) expectCounts(segment, segmentFields, 'a segment of the manifest')
  return fields as unknown as Manifest
}

const segmentFields: readonly (keyof SegmentInfo)[] = [
  'id',
  'captures',
  'terms',
  'totalLength',
  'minAcquiredAt',
  'maxAcquiredAt',
  'bytes',
]

/** Checks that all named fields except `segments` are integers. Only instants (`…At`) may be negative. */
function expectCounts(value: unknown, names: readonly string[], what: string): void {
  for (const name of names) {
    if (name === 'segments') continue
    const count = (value as Record<string, unknown> | null)?.[name]
    if (!Number.isSafeInteger(count) || ((count as number) < 0 && !name.endsWith('At')))
      throw new AsofError('ASOF_STORE_CORRUPT', `${what} has no usable ${name}`)
  }
}

function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function decodeJson(bytes: Uint8Array, what: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes).toString())
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', `${what} is not JSON`, { cause })
  }
  if (typeof value !== 'object' || value === null) throw new AsofError('ASOF_STORE_CORRUPT', `${what} is not an object`)
  return value as Record<string, unknown>
}
