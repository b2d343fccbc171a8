import type { EngineStats } from '../../engine.ts'
import type { Segment } from '../../segment/segment.ts'
import type { Catalog } from './catalog.ts'

/** Returns the figures of the index. Tombstones do not count. */
export function statsOf({
  manifest,
  segments,
}: Catalog): Omit<EngineStats, 'bytes' | 'merges' | 'cacheHits' | 'cacheMisses'> {
  const oldest = segments.map(segment => acquiredAt(segment, firstLeft(segment)))
  const newest = segments.map(segment => acquiredAt(segment, lastLeft(segment)))
  const captures = segments.reduce((total, segment) => total + segment.captures - segment.tombstones.length, 0)
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

/** Returns the last ordinal that is not a tombstone; −1 if there is none. */
function lastLeft({ tombstones, captures }: Segment): number {
  let ordinal = captures - 1
  for (let i = tombstones.length - 1; tombstones[i] === ordinal; i--) ordinal--
  return ordinal
}
