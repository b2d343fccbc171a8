import { upperBound } from '../../bytes/binary-search.ts'
import type { Segment } from '../../segment/segment.ts'
import { allUrls } from '../keys.ts'
import { decodeUrlRecord } from '../records/url-record.ts'
import type { Store } from '../store.ts'
import type { Catalog } from './catalog.ts'

/** The size of an index, and what is done with it. A figure that the engine does not know is undefined. */
export interface EngineStats {
  /** Number of captures, including superseded ones and excluding purged and expired ones. */
  captures: number
  /** Number of URLs with at least one observation. */
  urls: number
  /** Number of segments; in a cluster, of its term index. Undefined for a sealed engine. */
  segments?: number
  /**
   * Number of dictionary entries on disk, a measure of size rather than of vocabulary. A term counts once for each
   * segment with it. Terms of superseded, purged or expired captures count until a merge drops them. Undefined for a cluster or a
   * sealed engine.
   */
  terms?: number
  /** Bytes that the index takes on disk; of an index in memory, bytes of its keys and values. Undefined for a sealed engine. */
  bytes?: number
  /** Number of running merges: 0 or 1. Undefined for a cluster or a sealed engine. */
  merges?: number
  /**
   * Number of reads of records and parts of segments that a cache answered since the engine was opened, on all threads.
   * Undefined for a cluster or a sealed engine.
   */
  cacheHits?: number
  /**
   * Number of reads of records and parts of segments that went to the database since the engine was opened, on all threads.
   * Undefined for a cluster or a sealed engine.
   */
  cacheMisses?: number
  /** Number of captures with a vector of the embeddings model. Undefined for a sealed engine, and if there is no model. */
  vectors?: number
  /** The earliest `acquiredAt`, epoch milliseconds. Undefined if the index is empty. */
  oldest?: number
  /** The latest `acquiredAt`, epoch milliseconds. Undefined if the index is empty. */
  newest?: number
}

/**
 * Returns the figures of the index. Tombstones do not count.
 *
 * @param instant - captures that were acquired later do not count, epoch ms. The other figures are of the whole index.
 */
export function statsOf(
  { manifest, segments }: Catalog,
  instant: number = Number.POSITIVE_INFINITY,
): Omit<EngineStats, 'bytes' | 'merges' | 'cacheHits' | 'cacheMisses'> {
  const oldest = segments.map(segment => acquiredAt(segment, firstLeft(segment)))
  const newest = segments.map(segment => acquiredAt(segment, lastLeft(segment, segment.ordinalEndAt(instant))))
  const captures = segments.reduce(
    (total, segment) => total + segment.totals(segment.ordinalEndAt(instant)).captures,
    0,
  )
  return {
    captures,
    urls: manifest.urls,
    segments: segments.length,
    terms: segments.reduce((total, { info }) => total + info.terms, 0),
    oldest: captures === 0 ? undefined : Math.min(...oldest.filter(at => at !== undefined)),
    newest: captures === 0 ? undefined : Math.max(...newest.filter(at => at !== undefined)),
  }
}

function acquiredAt({ captures, columns }: Segment, ordinal: number): number | undefined {
  return ordinal >= 0 && ordinal < captures ? columns.acquiredAt[ordinal] : undefined
}

/** Returns the first ordinal that is not a tombstone. */
function firstLeft({ tombstones }: Segment): number {
  let ordinal = 0
  while (tombstones[ordinal] === ordinal) ordinal++
  return ordinal
}

/** Returns the highest ordinal below `end` that has no tombstone, or −1 if all have one. */
function lastLeft({ tombstones }: Segment, end: number): number {
  let ordinal = end - 1
  for (let i = upperBound(tombstones, tombstones.length, ordinal) - 1; i >= 0 && tombstones[i] === ordinal; i--)
    ordinal--
  return ordinal
}

/** Counts the URLs with a capture that was acquired up to an instant. Reads the histories of all URLs. */
export async function urlsUpTo(store: Store, { manifest }: Catalog, instant: number): Promise<number> {
  let urls = 0
  for await (const [, record] of store.iterate(allUrls)) {
    const isKnown = decodeUrlRecord(record).some(
      seen => seen.kind === 'capture' && seen.at <= instant && seen.captureId < manifest.nextCaptureId,
    )
    if (isKnown) urls++
  }
  return urls
}
